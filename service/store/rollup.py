"""Counters grow old: hours roll into days, days are dropped in the end."""

from __future__ import annotations

from service.store.connection import Connection, text

HOURS_KEPT = 14 * 24
DAYS_KEPT = 400


def roll_up(connection: Connection, now_hour: int) -> int:
    """Fold every hour older than 14 days into its day, and drop days older than 400 days.

    ``now_hour``: hours since 1970. Returns the number of hours folded. Each is one atomic step, so
    that several processes may do it at once, and being interrupted is harmless.
    """
    keys, client = connection.keys, connection.client
    with connection.guard():
        old = client.zrangebyscore(keys.hours, "-inf", f"({now_hour - HOURS_KEPT}")
    for member in map(text, old):
        app, _, hour = member.rpartition(":")
        day = int(hour) // 24
        connection.run(
            "roll_up",
            [keys.counters(app, int(hour)), keys.day_counters(app, day), keys.hours, keys.days],
            [member, f"{app}:{day}", day],
        )
    _drop_days(connection, now_hour // 24 - DAYS_KEPT)
    return len(old)


def _drop_days(connection: Connection, before: int) -> None:
    keys, client = connection.keys, connection.client
    with connection.guard():
        for member in map(text, client.zrangebyscore(keys.days, "-inf", f"({before}")):
            app, _, day = member.rpartition(":")
            client.unlink(keys.day_counters(app, int(day)))
            client.zrem(keys.days, member)
