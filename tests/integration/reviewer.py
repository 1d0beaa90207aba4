"""A reviewer who never rests, at the HTTP API of one ``groundwatch serve``."""

from __future__ import annotations

import threading
import time

import httpx

PAUSE_S = 0.05


class Reviewer(threading.Thread):
    """``saved``: (subject, number) of each change that the server said is saved; ``unanswered``:
    subjects of which it was sent a label and never said so; ``done``: nothing is left to label.
    Outages, and a server that dies, are passed over."""

    def __init__(self, address: str, name: str) -> None:
        super().__init__(name=name, daemon=True)
        self.address = address
        self.saved: list[tuple[str, int]] = []
        self.unanswered: set[str] = set()
        self.done = threading.Event()
        self._leave = threading.Event()

    def run(self) -> None:
        with httpx.Client(
            base_url=self.address, headers={"X-Reviewer": self.name}, timeout=10
        ) as client:
            while not (self.done.is_set() or self._leave.is_set()):
                try:
                    self._label_one(client)
                except httpx.HTTPError:
                    time.sleep(PAUSE_S)

    def leave(self) -> None:
        self._leave.set()
        self.join(20)
        assert not self.is_alive()

    def _label_one(self, client: httpx.Client) -> None:
        lease = client.post("/v1/cases/next", json={}).raise_for_status().json()["lease"]
        if lease is None:
            self.done.set()
            return
        subject = lease["subject"]
        path = f"/v1/cases/{subject.removeprefix('case:')}/label"
        etag = client.get(path).raise_for_status().headers["etag"]
        self.unanswered.add(subject)
        saved = client.put(
            path,
            json={"answer": "wrong", "note": f"by {self.name}"},
            headers={"X-Lease-Token": lease["token"], "If-Match": etag},
        ).raise_for_status()
        self.saved.append((subject, saved.json()["number"]))
        self.unanswered.discard(subject)
