"""What tests/conftest.py promises of every test run."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]


def run_pytest(folder: Path, *options: str) -> str:
    """Standard output of a run over ``folder`` with this project's conftest.py, and of all the
    plugins those that it knows of: the others take seconds to load."""
    shutil.copy(TESTS / "conftest.py", folder)
    names = ("no:cacheprovider", "xdist", "pytest_socket", "pytest_timeout")
    plugins = [option for name in names for option in ("-p", name)]
    return subprocess.run(
        [sys.executable, "-m", "pytest", *plugins, "--rootdir", folder, *options, "."],
        cwd=folder,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    ).stdout


def test_a_test_of_the_pure_parts_opens_no_socket() -> None:
    with pytest.raises((RuntimeWarning, UserWarning, RuntimeError), match="tried to use socket"):
        socket.socket(socket.AF_INET, socket.SOCK_STREAM)


LOOPBACK_TEST = """
import asyncio, socket, pytest
from pytest_socket import SocketConnectBlockedError

@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("host", ["203.0.113.7", "2001:db8::7"])
def test_elsewhere(host):
    with pytest.raises(SocketConnectBlockedError):
        socket.create_connection((host, 80), timeout=1)

@pytest.mark.filterwarnings("ignore")
def test_elsewhere_from_a_loop():
    with pytest.raises(SocketConnectBlockedError):
        asyncio.run(asyncio.open_connection("203.0.113.7", 80))

def test_here():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=1).close()
"""


@pytest.mark.parametrize("folder", ["contract", "e2e", "fuzz", "integration", "some_new_one"])
def test_a_test_reaches_this_machine_and_no_other(tmp_path: Path, folder: str) -> None:
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "test_sockets.py").write_text(LOOPBACK_TEST)
    assert "4 passed" in run_pytest(tmp_path)


PARALLEL = ("-n", "2", "--dist", "loadfile")
alone_or_in_parallel = pytest.mark.parametrize("options", [(), PARALLEL], ids=["alone", "parallel"])


@alone_or_in_parallel
def test_a_skip_is_said_loudly_at_the_end(tmp_path: Path, options: tuple[str, ...]) -> None:
    (tmp_path / "test_servers.py").write_text(
        "import pytest\n"
        "@pytest.mark.parametrize('n', [1, 2])\n"
        "def test_it(n):\n"
        "    pytest.skip('no Redis here: apt-get install redis-server')\n"
    )
    (tmp_path / "test_fuzz.py").write_text(
        "import pytest\npytest.skip('no atheris here', allow_module_level=True)\n"
    )
    ending = run_pytest(tmp_path, *options).split("NOT TESTED")[1]
    assert "2 test(s) skipped: no Redis here: apt-get install redis-server" in ending
    assert "1 test(s) skipped: no atheris here" in ending


@alone_or_in_parallel
def test_nothing_is_said_when_nothing_was_skipped(tmp_path: Path, options: tuple[str, ...]) -> None:
    (tmp_path / "test_it.py").write_text("def test_it(): pass\n")
    output = run_pytest(tmp_path, *options)
    assert "1 passed" in output
    assert "NOT TESTED" not in output


@alone_or_in_parallel
def test_in_ci_a_missing_server_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("PYTHONPATH", str(TESTS.parent))
    (tmp_path / "test_servers.py").write_text(
        "from tests.servers import unavailable\ndef test_it(): unavailable('no Redis here')\n"
    )
    output = run_pytest(tmp_path, *options)
    assert "1 failed" in output
    assert "no Redis here" in output


@alone_or_in_parallel
def test_a_warning_fails(tmp_path: Path, options: tuple[str, ...]) -> None:
    shutil.copy(TESTS.parent / "pyproject.toml", tmp_path)
    (tmp_path / "test_it.py").write_text("import warnings\ndef test_it(): warnings.warn('old')\n")
    assert "1 failed" in run_pytest(tmp_path, *options)


def test_workers_do_not_flush_a_redis_that_they_share(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEST_REDIS_URL", "redis://127.0.0.1:1/0")
    (tmp_path / "test_it.py").write_text("def test_it(): pass\n")
    assert "1 passed" in run_pytest(tmp_path)
    assert "1 passed" in run_pytest(tmp_path, "-n", "0")
    assert "passed" not in run_pytest(tmp_path, *PARALLEL)
