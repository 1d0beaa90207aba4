"""The broker's jars: fetched once by Maven, kept in a directory named after the pom's hash."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
POM = Path(__file__).with_name("pom.xml")
COPY_JARS = "org.apache.maven.plugins:maven-dependency-plugin:3.11.0:copy-dependencies"
HOW_TO_GET = (
    "Kafka needs Java 17 or newer and Maven. On Debian or Ubuntu: apt-get install "
    "openjdk-17-jre-headless maven; on macOS: brew install openjdk maven. "
    "Or point TEST_KAFKA_BOOTSTRAP at a broker of yours."
)


class KafkaMissing(Exception):
    """This machine cannot run a broker; the message says what to install."""


def cache_directory() -> Path:
    """``.cache`` of the project, or where ``GROUNDWATCH_TEST_CACHE`` points."""
    return Path(os.environ.get("GROUNDWATCH_TEST_CACHE") or PROJECT / ".cache")


def broker_jars() -> Path:
    """The directory of the broker's jars; fetches them the first time (about 44 MB).

    Raises :class:`KafkaMissing` without Java or Maven, or when Maven fails.
    """
    missing = [tool for tool in ("java", "mvn") if shutil.which(tool) is None]
    jars = cache_directory() / f"kafka-{hashlib.sha256(POM.read_bytes()).hexdigest()[:12]}"
    if "java" in missing or (missing and not jars.is_dir()):
        raise KafkaMissing(f"{' and '.join(missing)} not found. {HOW_TO_GET}")
    if not jars.is_dir():
        _fetch(jars)
    return jars


def _fetch(jars: Path) -> None:
    jars.parent.mkdir(parents=True, exist_ok=True)
    # Renamed into place when complete: half a fetch, or two at once, are not taken for a whole.
    with tempfile.TemporaryDirectory(dir=jars.parent, prefix="kafka-fetch-") as scratch:
        done = subprocess.run(
            [
                *("mvn", "-q", "-B", "-f", str(POM), COPY_JARS),
                *("-DincludeScope=runtime", f"-DoutputDirectory={scratch}/jars"),
            ],
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )
        if done.returncode != 0:
            raise KafkaMissing(
                f"Maven could not fetch the jars. {HOW_TO_GET}\n{done.stdout[-2000:]}"
            )
        try:
            Path(scratch, "jars").rename(jars)
        except OSError:
            if not jars.is_dir():
                raise
