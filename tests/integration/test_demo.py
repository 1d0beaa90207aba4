"""The demo as a process: what it prints, and that a script's verdicts are labelled on each page."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import httpx
import pytest

from tests.servers.kafka import free_port

DEMO = [sys.executable, "-m", "service.cli", "demo"]
LABEL = "scripted: no model ruled"
ENVIRONMENT = {**os.environ, "COLUMNS": "200"}


def once(*options: str) -> str:
    done = subprocess.run(
        [*DEMO, "--once", *options], capture_output=True, text=True, timeout=100, check=True,
        env=ENVIRONMENT,
    )  # fmt: skip
    return " ".join(done.stdout.split())


def test_without_the_flag_there_is_no_judge() -> None:
    shown = once()
    assert "The books balance." in shown
    assert re.search(r"Waiting in the queue: \d+ cases. Audit tasks, under /tasks: [1-9]", shown)
    assert "Judge" not in shown
    assert "scripted" not in shown


def test_everybody_sees_the_same_judged_demo() -> None:
    first, second = (once("--with-scripted-judge") for _ in range(2))
    said = re.search(
        r"Judge \(scripted: no model ruled\): judged (\d+), undetermined 0, failed 0; "
        r"claims: supported (\d+), .*?contradicted (\d+)",
        first,
    )
    assert said is not None, first
    judged, supported, contradicted = map(int, said.groups())
    assert judged > 90
    assert supported > judged
    assert contradicted >= 10
    assert "The books balance." in first
    assert first[first.index("Judge (") :] == second[second.index("Judge (") :]


@pytest.fixture(scope="module")
def site() -> Iterator[httpx.Client]:
    """To be read."""
    port = free_port()
    process = subprocess.Popen(
        [*DEMO, "--with-scripted-judge", "--delay-ms", "0", "--port", str(port)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT,
    )  # fmt: skip
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=20) as client:
            _wait_for(client, process)
            yield client
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)


def _wait_for(client: httpx.Client, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline and process.poll() is None:
        try:
            client.get("/healthz")
        except httpx.TransportError:
            time.sleep(0.2)
        else:
            return
    pytest.fail("the demo does not serve")


def test_every_page_labels_what_a_script_said(site: httpx.Client) -> None:
    cases = site.get("/v1/cases?limit=200").json()["cases"]
    scripted = [case for case in cases if case["scripted"]]
    assert len(scripted) > 15
    queue = site.get("/queue").text
    assert queue.count(f'judge <span class="scripted">{LABEL}</span>') == len(scripted)
    for path in ("/queue", "/books"):
        assert f"Judge: <bdi>{LABEL} · asks scripted-oracle · 0 wait" in site.get(path).text
    opened = [case for case in scripted if case["checks"] == ["judge"]]
    assert opened, "the judge finds what no check can"
    for case in (scripted[0], opened[0]):
        body = site.get(f"/v1/cases/{case['case_id']}").json()
        assert body["judgement"]["scripted"] is True
        page = site.get(f"/cases/{case['case_id']}").text
        assert page.count(LABEL) >= 3
        assert '<p class="judge-said">' in page


def test_a_case_that_an_audit_withholds_is_nowhere(site: httpx.Client) -> None:
    tasks = site.get("/v1/tasks").json()["tasks"]
    assert tasks
    listed = {
        case["case_id"] for case in site.get("/v1/cases?status=any&limit=200").json()["cases"]
    }
    unknown = site.get("/v1/cases/none")
    for task in tasks:
        assert task["task_id"] not in listed
        withheld = site.get(f"/v1/cases/{task['task_id']}")
        assert (withheld.status_code, withheld.text) == (404, unknown.text)
        assert withheld.headers["content-type"] == "application/problem+json"
        assert site.get(f"/cases/{task['task_id']}").status_code == 404
        shown = site.get(f"/tasks/{task['task_id']}").text
        for word in ("finding", "judge", "scripted", "contradicted"):
            assert word not in shown.split("<main", 1)[1].lower()
