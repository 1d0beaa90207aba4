"""Keys from the command line, without a Redis for the access file; and doors that stay shut."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from service import cli
from service.access.api_keys import parts_of
from service.cli.serving import check_door
from service.outage import Misconfiguration
from service.settings import Settings, SettingsError, load_access, load_settings


@pytest.fixture
def create(monkeypatch):
    for name in list(os.environ):
        if name.startswith("GROUNDWATCH_"):
            monkeypatch.delenv(name)
    return lambda *arguments: CliRunner().invoke(cli.app, ["keys", "create", *arguments])


def test_without_a_redis_a_key_is_made_for_the_access_file(create, tmp_path: Path) -> None:
    name = 'shop "bot": #1'
    made = create("--name", name, "--role", "sender", "--app", "shop", "--app", "a: b",
                  "--expires", "90d")  # fmt: skip
    assert made.exit_code == 0
    token = made.stdout.strip()
    parts = parts_of(token)
    assert parts is not None
    key_id, secret = parts
    assert secret not in made.stderr
    _, *lines, _ = made.stderr.splitlines()
    path = tmp_path / "access.yaml"
    path.write_text(yaml.safe_dump({"keys": yaml.safe_load("\n".join(lines))}))
    found = load_access(path).key(key_id)
    assert found is not None
    assert (found.name, found.grant.written()) == (name, ["a: b", "shop"])
    assert found.fault(secret, 0) is None
    assert found.fault(secret, 2**50) == "expired"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--app", "a", "--app", "*"), "--app"),
        ((), "--app"),
        (("--app", "a", "--expires", "soon"), "--expires"),
        (("--app", "a", "--expires", "2020-01-01"), "--expires"),
        (("--app", "a", "--expires", "9999999999999d"), "--expires"),
        (("--app", "a", "--name", "\x1b"), "--name"),
    ],
)
def test_what_makes_no_key_is_named(create, arguments, said: str) -> None:
    refused = create("--name", "n", "--role", "viewer", *arguments)
    assert refused.exit_code == 2
    assert said in refused.output
    assert "gw_" not in refused.output


def test_serve_does_not_listen_to_the_network_with_nobody_asked() -> None:
    for host in ("::", "10.0.0.1", "watch"):
        with pytest.raises(Misconfiguration) as refused:
            check_door(Settings(host=host))
        for mend in (
            "GROUNDWATCH_AUTH=required",
            "groundwatch keys create",
            "GROUNDWATCH_TRUSTED_PROXIES",
            "GROUNDWATCH_AUTH=anyone-may-do-anything",
        ):
            assert mend in str(refused.value)
        check_door(Settings(host=host, auth="anyone-may-do-anything"))
        check_door(Settings(host=host, auth="required", redis_url="redis://r"))
    for host in ("127.0.0.1", "localhost", "::1"):
        check_door(Settings(host=host))


def test_a_store_that_keeps_no_keys_needs_a_file_with_some(tmp_path: Path) -> None:
    with pytest.raises(Misconfiguration, match="GROUNDWATCH_ACCESS"):
        check_door(Settings(auth="required"))
    check_door(Settings(auth="required", access=tmp_path / "access.yaml"))


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"AUTH": "off"}, "GROUNDWATCH_AUTH: "),
        ({"TRUSTED_PROXIES": "10.0.0.0/8"}, "AUTH=required"),
        ({"TRUSTED_PROXIES": "10.0.0.0/8", "AUTH": "required"}, "PUBLIC_URL"),
        ({"TRUSTED_PROXIES": "proxy", "AUTH": "required"}, "no address, no network"),
        ({"PUBLIC_URL": "https://watch.example.org/path"}, "GROUNDWATCH_PUBLIC_URL: "),
        ({"PROXY_USER_HEADER": "X Y"}, "GROUNDWATCH_PROXY_USER_HEADER: "),
    ],
)
def test_settings_that_do_not_fit_are_refused(environ: dict[str, str], said: str) -> None:
    with pytest.raises(SettingsError) as refused:
        load_settings({f"GROUNDWATCH_{name}": value for name, value in environ.items()})
    assert said in str(refused.value)
