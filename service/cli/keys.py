"""The keys of machines: made, listed, revoked."""

from __future__ import annotations

import json
import sys
import time
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Table

from service.access.api_keys import ApiKey
from service.access.roles import EVERY_APP, Grant, Role
from service.bootstrap import build
from service.cli.shared import err, fail, need_redis, out, settings_of
from service.store import MEMORY_URL, ApiKeys
from service.store.api_keys import make_key


def create_key(
    name: Annotated[str, typer.Option(help="Who uses it, for lists and for the labels it makes.")],
    role: Annotated[
        Role,
        typer.Option(
            help="sender: sends answers and feedback, reads nothing. viewer: reads. reviewer: "
            "labels too. admin: everything."
        ),
    ],
    app: Annotated[
        list[str] | None,
        typer.Option(help=f"An app that it may see or send for; again for more. {EVERY_APP}: all."),
    ] = None,
    expires: Annotated[
        str | None, typer.Option(help="After so many days (90d), or on a day (2027-06-30).")
    ] = None,
) -> None:
    """Makes a key and shows it, this once: only a hash of it is kept.

    `groundwatch keys create --name shop-bot --role sender --app shop`

    Sent as `Authorization: Bearer gw_…`. It goes to standard output, all else to standard error.
    Without a Redis it is kept nowhere: what is printed goes into the file of `GROUNDWATCH_ACCESS`.
    """
    settings, now_ms = settings_of(quiet=True), int(time.time() * 1000)
    if not name.strip() or len(name) > 100 or not name.isprintable():
        raise fail("--name: wanted 1 to 100 characters that can be shown")
    if not app:
        raise fail(f"--app: name the apps that it may see or send for, or --app '{EVERY_APP}'")
    if EVERY_APP in app and len(app) > 1:
        raise fail(f"--app: either {EVERY_APP} (every app) or names of apps")
    expires_ms = _moment_ms(expires, now_ms) if expires is not None else None
    key, token = make_key(name.strip(), role, Grant.of(app), now_ms, expires_ms)
    if settings.redis_url == MEMORY_URL:
        _show_for_file(key)
    else:
        build(settings).store.api_keys.keep(key)
        err.print(f"key {key.key_id} is kept; this is the only time that it is shown:")
    sys.stdout.write(token + "\n")


def list_keys() -> None:
    """Every key that Redis keeps, with its role, its apps and when it was last used.

    Keys of the access file stand there.
    """
    table = Table("id", "name", "role", "apps", "made", "last used", "state")
    now_ms = int(time.time() * 1000)
    for key, used_ms in _keys().all():
        table.add_row(
            key.key_id, escape(key.name), key.role.value, escape(", ".join(key.grant.written())),
            _told(key.made_ms), _told(used_ms), _state(key, now_ms),
        )  # fmt: skip
    out.print(table)


def revoke_key(
    key_id: Annotated[str, typer.Argument(help="As `groundwatch keys list` shows it.")],
) -> None:
    """From the next request on the key opens nothing. It stays in the list."""
    key = _keys().revoke(key_id, int(time.time() * 1000))
    if key is None:
        raise fail(f"there is no key {key_id}; `groundwatch keys list` shows them")
    out.print(f"key {key.key_id} ({key.name}) is revoked", markup=False)


def _keys() -> ApiKeys:
    settings = settings_of(quiet=True)
    need_redis(settings)
    return build(settings).store.api_keys


def _show_for_file(key: ApiKey) -> None:
    apps = json.dumps(key.grant.written())
    lines = [f'- id: "{key.key_id}"', f"  name: {json.dumps(key.name)}", f"  sha256: {key.digest}",
             f"  role: {key.role.value}", f"  apps: {apps}"]  # fmt: skip
    if key.expires_ms is not None:
        lines.append(f"  expires: {_moment(key.expires_ms).isoformat()}")
    err.print("Put this under `keys:` in the file of GROUNDWATCH_ACCESS:")
    err.print("\n".join(lines), highlight=False, markup=False, soft_wrap=True)
    err.print("and give this to whoever sends; it is shown this once:")


def _moment_ms(said: str, now_ms: int) -> int:
    """Raises :class:`typer.Exit` for what is neither days nor a day, or lies behind us."""
    try:
        if said.endswith("d") and said[:-1].isdecimal():
            moment = _moment(now_ms) + timedelta(days=int(said[:-1]))
        else:
            moment = datetime.fromisoformat(said)
    except (OverflowError, ValueError):
        raise fail(f"--expires: {said!r} is neither 90d nor a day such as 2027-06-30") from None
    found = int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
    if found <= now_ms:
        raise fail("--expires: that is not in the future")
    return found


def _moment(at_ms: int) -> datetime:
    return datetime.fromtimestamp(at_ms / 1000, UTC)


def _told(at_ms: int | None) -> str:
    return "never" if at_ms is None else f"{_moment(at_ms):%Y-%m-%d %H:%M}"


def _state(key: ApiKey, now_ms: int) -> str:
    if key.revoked_ms is not None:
        return f"revoked {_told(key.revoked_ms)}"
    if key.expires_ms is None:
        return "good"
    return f"{'expired' if key.expires_ms <= now_ms else 'good until'} {_told(key.expires_ms)}"
