"""The image: what its Dockerfile does, done without Docker, and its three processes at work."""

from __future__ import annotations

import contextlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import tomllib
import uuid
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import httpx
import pytest
from packaging.utils import canonicalize_name

from service.demo.scripted_judge import ScriptedJudge
from tests.architecture.locks import read_lock
from tests.integration.world import World, answer_event
from tests.servers import unavailable
from tests.servers.image import USER, Image, build_image, public_python, read_dockerfile
from tools.kafka.broker import free_port

ROOT = Path(__file__).parents[2]
DOCKERFILE = ROOT / "Dockerfile"
STAGES = read_dockerfile(DOCKERFILE)
PYTHON = ".".join(STAGES[0].base.removeprefix("python:").split(".")[:2])
LOOPBACK = {"host": "127.0.0.1", "metrics_host": "127.0.0.1"}
STRATA = "flagged_high: 1, flagged: 1, abstained: 1, low_overlap: 1, rest: 1"
POLICY = f"default: &all {{sampling: {{audit: 0, {STRATA}}}}}\napps: {{support: *all}}\n"
Settings = Mapping[str, object]
UNREACHABLE = ("NewConnectionError", "Temporary failure in name resolution", "No route to host")

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def image() -> Iterator[Image]:
    python = public_python(PYTHON)
    if python is None:
        unavailable(
            f"no Python {PYTHON} here that other users may run: apt-get install python3-venv"
        )
    # Not under pytest's folder, which no other user may enter.
    folder = Path(tempfile.mkdtemp(prefix="groundwatch-image-"))
    folder.chmod(0o755)
    try:
        yield build_image(DOCKERFILE, folder, python)
    except subprocess.CalledProcessError as error:
        said = (error.stdout + error.stderr).decode(errors="replace")
        if any(sign in said for sign in UNREACHABLE):
            unavailable("packages cannot be fetched here")
        pytest.fail(f"{error.cmd[-1]}\n{said[-4000:]}", pytrace=False)
    finally:
        shutil.rmtree(folder)


class Process:
    """One command of the image. What it says goes through a pipe, for it may write to no file
    (unless ``files``): a read-only file system, and more."""

    def __init__(self, image: Image, arguments: Sequence[str], files: bool, settings: Settings):
        self._process = image.popen(
            *arguments,
            settings={f"GROUNDWATCH_{name.upper()}": str(v) for name, v in settings.items()},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            preexec_fn=None if files else _write_to_no_file,
        )
        self._said: list[bytes] = []
        assert self._process.stdout is not None
        self._pipe = self._process.stdout
        self._reader = threading.Thread(target=lambda: self._said.extend(self._pipe))
        self._reader.start()

    def said(self) -> str:
        return b"".join(self._said).decode(errors="replace")[-3000:]

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def end(self) -> int:
        """Its exit code, after SIGTERM."""
        self._process.terminate()
        try:
            return self._process.wait(60)
        finally:
            self._process.kill()
            self._reader.join()
            self._pipe.close()


def _write_to_no_file() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


@contextlib.contextmanager
def running(
    image: Image, *arguments: str, files: bool = False, **settings: object
) -> Iterator[Process]:
    process = Process(image, arguments, files, settings)
    try:
        yield process
    finally:
        code = process.end()
    # uvicorn stops in order and then ends by the signal that it was given.
    assert code in (0, -signal.SIGTERM), process.said()


def until_ready(process: Process, port: int) -> None:
    give_up = time.monotonic() + 100
    while True:
        with contextlib.suppress(httpx.HTTPError):
            if httpx.get(f"http://127.0.0.1:{port}/readyz", timeout=5).status_code == 200:
                return
        assert not process.has_ended(), process.said()
        assert time.monotonic() < give_up, process.said()
        time.sleep(0.1)


@pytest.fixture
def settings(image: Image, make_world) -> Iterator[tuple[World, dict[str, object]]]:
    """An installation, and the settings of a process of the image that belongs to it."""
    world = make_world(partitions=1, topic_reviews=f"reviews-{uuid.uuid4().hex[:8]}")
    world.facts.create_topic(world.settings.topic_reviews, 1)
    policy = image.root.with_name("policy.yaml")  # where the image's user can read it
    policy.write_text(POLICY)
    ours = {
        name.removeprefix("GROUNDWATCH_").lower(): value
        for name, value in world.environment.items()
    }
    with ScriptedJudge() as endpoint:
        judge = {"judge_base_url": endpoint.base_url, "judge_model": "scripted-oracle"}
        yield world, {**ours, **judge, "policy": policy, **LOOPBACK}


def test_three_processes_of_the_image_check_judge_and_show(image: Image, settings) -> None:
    """On a real Kafka and Redis, as another user, and none of them may write to a file."""
    world, ours = settings
    ports = {name: free_port() for name in ("consume", "judge", "serve")}
    with contextlib.ExitStack() as stack:
        for name, port in ports.items():
            its = {"port" if name == "serve" else "metrics_port": port}
            until_ready(stack.enter_context(running(image, name, **ours | its)), port)
        world.send_all(answer_event("by-kafka", faulty=True))
        url = f"http://127.0.0.1:{ports['serve']}"
        assert post(url, answer_event("by-http")).status_code == 202
        world.until(lambda: world.totals().get("judge:judged", 0) == 2)
        world.until_received(2)
        assert set(world.books().values()) == {0}
        assert "by-kafka" in world.cases()
        assert "pricing#by-kafka" in httpx.get(f"{url}/queue", timeout=20).text
        assert {name: healthy(image, name, port) for name, port in ports.items()} == dict.fromkeys(
            ports, True
        )
    assert not any(healthy(image, name, port) for name, port in ports.items())


def post(url: str, event: bytes) -> httpx.Response:
    kind = {"Content-Type": "application/json"}
    return httpx.post(f"{url}/v1/answers", content=event, headers=kind, timeout=30)


def healthy(image: Image, name: str, port: int) -> bool:
    """As Docker would be told of a container that runs this command on this port."""
    nobody = free_port()
    serves = name == "serve"
    return not image.check_health(
        {"8321": port if serves else nobody, "9464": nobody if serves else port}
    )


def test_told_nothing_it_serves_embedded(image: Image) -> None:
    """What it keeps lies in its own directory, which belongs to its user."""
    port = free_port()
    with running(image, files=True, port=port, **LOOPBACK) as process:
        until_ready(process, port)
        sent = post(f"http://127.0.0.1:{port}", answer_event("e-1", faulty=True))
        assert sent.status_code == 200
    assert "e-1" in (image.directory / "verdicts.jsonl").read_text()


def test_the_compiled_directory_comes_first(image: Image) -> None:
    where = "import service.checks, consumers; print(service.__file__, consumers.__file__)"
    found = image.output("python", "-c", where).split()
    assert [Path(file).parents[1] for file in found] == [
        image.root / "opt/groundwatch/compiled"
    ] * 2


def test_it_holds_what_is_locked_to_run_and_nothing_else(image: Image) -> None:
    """No pip and nothing of what built it: what is not there needs no update."""
    listed = (
        "import platform; from importlib.metadata import distributions\n"
        "print(platform.python_version(), *(f'{d.name}=={d.version}' for d in distributions()))"
    )
    python, *pairs = image.output("python", "-c", listed).split()
    found = {canonicalize_name(pair.partition("==")[0]): pair.partition("==")[2] for pair in pairs}
    assert found.pop(canonicalize_name("groundwatch"))
    lock = read_lock((ROOT / "requirements.lock").read_text())
    here = {"python_full_version": python}
    assert found == {
        name: pin.version
        for name, pin in lock.items()
        if pin.marker is None or pin.marker.evaluate(here)
    }


def test_its_user_can_change_nothing(image: Image) -> None:
    files = [path for path in image.root.rglob("*") if not path.is_symlink()]
    assert len(files) > 1_000
    modes = {path: path.stat().st_mode for path in files if path.parent != image.directory}
    assert [path for path, mode in modes.items() if not mode & 0o004] == []
    assert [path for path, mode in modes.items() if mode & 0o022] == []


def test_the_label_is_of_this_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    [labels] = STAGES[-1].all("LABEL")
    assert f'org.opencontainers.image.version="{version}"' in labels
    assert f'org.opencontainers.image.base.name="{STAGES[-1].base}"' in labels


def test_the_stages_are_of_one_python_and_one_debian() -> None:
    assert re.fullmatch(r"python:3\.\d+\.\d+-\w+", STAGES[0].base)
    assert STAGES[1].base == STAGES[0].base.replace("-", "-slim-")


def test_what_is_copied_is_not_ignored() -> None:
    """.dockerignore lets through what the Dockerfile copies, and nothing else."""
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    copied = {source for text in STAGES[0].all("COPY") for source in text.split()[:-1]}
    assert {line[1:] for line in lines if line.startswith("!")} == copied


def test_it_does_not_run_as_root() -> None:
    assert STAGES[-1].all("USER") == [f"{USER}:{USER}"]
