"""What a Dockerfile says, done in a folder instead of in an image: for machines without Docker."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

USER = 10001
COMPILES = re.compile(r"(\S+ -m tools\.compiled) (\S+)$")
ABSOLUTE = re.compile(r"(?<![\w./$}*])/(?=\w)")
KEPT = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "PIP_", "SSL_", "REQUESTS_")


@dataclass(frozen=True)
class Instruction:
    """``RUN``, ``COPY`` and the like, and what follows on its lines, joined."""

    name: str
    text: str


@dataclass(frozen=True)
class Stage:
    base: str
    name: str
    instructions: tuple[Instruction, ...]

    def all(self, name: str) -> list[str]:
        return [one.text for one in self.instructions if one.name == name]


def read_dockerfile(path: Path) -> list[Stage]:
    """Its stages, from first to last."""
    joined = re.sub(r"^\s*#.*\n", "", path.read_text(), flags=re.MULTILINE).replace("\\\n", " ")
    stages: list[Stage] = []
    for line in filter(None, map(str.strip, joined.splitlines())):
        name, _, text = line.partition(" ")
        if name == "FROM":
            base, _, alias = text.partition(" AS ")
            stages.append(Stage(base, alias, ()))
        else:
            last = stages.pop()
            one = Instruction(name, " ".join(text.split()))
            stages.append(Stage(last.base, last.name, (*last.instructions, one)))
    return stages


@dataclass
class Image:
    """The last stage of a Dockerfile, with ``root`` for its ``/``.

    ``environment``, ``entrypoint``, ``command``, ``healthcheck``: as it says, paths under ``root``.
    """

    root: Path
    environment: dict[str, str] = field(default_factory=dict)
    entrypoint: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)
    healthcheck: list[str] = field(default_factory=list)
    directory: Path = Path("/")

    def popen(
        self, *arguments: str, settings: dict[str, str], **options: object
    ) -> subprocess.Popen[bytes]:
        """The entry point with these arguments, as the image's user where we may become that. It
        has no home, and in its environment what the image says and ``settings``."""
        return self._start([*self.entrypoint, *(arguments or self.command)], settings, options)

    def check_health(self, ports: dict[str, int]) -> int:
        """The exit code of its HEALTHCHECK, where these ports stand in for those that it names."""
        command = [str(ports.get(word, word)) for word in self.healthcheck]
        return self._start(command, {}, {}).wait(60)

    def output(self, *command: str) -> str:
        """What a program of it prints. It must exit 0."""
        process = self._start(list(command), {}, {"stdout": subprocess.PIPE})
        said, _ = process.communicate(timeout=100)
        assert process.returncode == 0, command
        return bytes(said).decode()

    def _start(
        self, command: list[str], settings: dict[str, str], options: dict[str, object]
    ) -> subprocess.Popen[bytes]:
        # Popen looks a program up in our PATH.
        program = shutil.which(command[0], path=self.environment["PATH"])
        assert program is not None, f"{command[0]} is not in the image"
        return subprocess.Popen(  # type: ignore[call-overload]  # options are Popen's
            [program, *command[1:]],
            env={"HOME": "/nonexistent", **self.environment, **settings},
            cwd=self.directory,
            umask=0o077,
            **(_as_user() | options),
        )


def _as_user() -> dict[str, object]:
    if os.geteuid() != 0:
        return {}
    return {"user": USER, "group": USER, "extra_groups": []}


def public_python(version: str) -> Path | None:
    """A Python of this version (``3.11``) that every user may run, as the image's can be run, and
    that makes virtual environments (Debian packages ensurepip apart)."""
    makes = "import ensurepip, venv"
    for folder in (Path(sys.base_prefix, "bin"), Path("/usr/local/bin"), Path("/usr/bin")):
        found = (folder / f"python{version}").resolve()
        if found.exists() and all(one.stat().st_mode & 0o001 for one in (found, *found.parents)):
            if (
                subprocess.run([found, "-c", makes], capture_output=True, check=False).returncode
                == 0
            ):
                return found
    return None


def build_image(dockerfile: Path, folder: Path, python: Path) -> Image:
    """Do what it says under ``folder``, which every user may pass, with ``python`` for that of its
    bases. Packages come from where this
    machine's pip gets them. Only the compiler is spared: a copy of the source stands in for what
    it would make (tests/integration/test_compiled.py runs it).

    Raises subprocess.CalledProcessError where a RUN fails.
    """
    stages = read_dockerfile(dockerfile)
    base = folder / "python"
    base.write_text(f'#!/bin/sh\nexec {python} "$@"\n')
    base.chmod(0o755)
    image = Image(folder)
    for stage in stages:
        # All stages under one path, which virtual environments have written into their scripts; so
        # what an earlier one made is moved away, and is there only if it is copied.
        image = Image(folder / "root")
        image.root.mkdir()
        _build_stage(stage, image, dockerfile.parent)
        if stage is not stages[-1]:
            image.root.rename(folder / stage.name)
    return image


def _build_stage(stage: Stage, image: Image, context: Path) -> None:
    image.environment["PATH"] = f"{image.root.parent}:/usr/bin:/bin"
    for one in stage.instructions:
        text = ABSOLUTE.sub(f"{image.root}/", one.text)
        match one.name:
            case "ENV":
                for pair in shlex.split(Template(text).safe_substitute(image.environment)):
                    name, _, value = pair.partition("=")
                    image.environment[name] = value
            case "WORKDIR":
                image.directory = Path(text)
                image.directory.mkdir(parents=True, exist_ok=True)
            case "COPY":
                _copy(text, image, context)
            case "RUN":
                _run(text, image)
            case "ENTRYPOINT":
                image.entrypoint = json.loads(text)
            case "HEALTHCHECK":
                image.healthcheck = json.loads(text.partition("CMD ")[2])
            case "CMD":
                image.command = json.loads(text)
            case "USER" | "LABEL" | "ARG" | "EXPOSE":
                pass
            case _:
                raise NotImplementedError(one.name)


def _copy(text: str, image: Image, context: Path) -> None:
    words = text.split()
    flags = dict(word[2:].split("=", 1) for word in words if word.startswith("--"))
    *sources, target = [word for word in words if not word.startswith("--")]
    into = image.directory / target
    for source in sources:
        stage = flags.get("from")
        found = (
            context / source
            if stage is None
            else image.root.with_name(stage) / Path(source).relative_to(image.root)
        )
        if found.is_dir():
            shutil.copytree(found, into, symlinks=True, ignore=_not_bytecode(stage))
        else:
            into.mkdir(parents=True, exist_ok=True)
            shutil.copy2(found, into)
        if stage is None:
            _narrow(into)
        elif os.geteuid() == 0 and "chown" in flags:
            user, group = map(int, flags["chown"].split(":"))
            os.chown(into, user, group)


def _not_bytecode(stage: str | None):
    """What .dockerignore keeps out."""
    return shutil.ignore_patterns("__pycache__") if stage is None else None


def _narrow(path: Path) -> None:
    """As in the clone of somebody whose umask is 077."""
    for one in (path, *path.rglob("*")):
        one.chmod(0o700 if one.is_dir() else 0o600)


def _run(text: str, image: Image) -> None:
    ours = {name: value for name, value in os.environ.items() if name.upper().startswith(KEPT)}
    environment = {**ours, **image.environment}
    del environment["PIP_NO_CACHE_DIR"]  # layers are spared that, we are glad of it
    text = re.sub(r"--mount=\S+ ", "", text)  # pip's configuration: ours is where pip finds it
    if compiles := COMPILES.search(text):
        target = Path(compiles[2])
        for package in ("service", "consumers"):
            shutil.copytree(image.directory / package, target / package)
        text = COMPILES.sub(r"\1 --help", text)
    subprocess.run(
        ["/bin/sh", "-c", text],
        cwd=image.directory,
        env=environment,
        umask=0o022,
        check=True,
        capture_output=True,
    )
