"""`make sbom` lists what is locked, each with its hashes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from packaging.utils import canonicalize_name

from tests.architecture.locks import ROOT, read_lock


def test_the_bill_of_materials_is_the_lock(tmp_path: Path) -> None:
    written = tmp_path / "sbom.json"
    makefile = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    found = re.search(r"^\t@\$\(BIN\)/(cyclonedx-py .*)$", makefile, re.MULTILINE)
    assert found
    command = found[1].replace("build/sbom.json", str(written)).split()
    subprocess.run(
        [Path(sys.executable).with_name(command[0]), *command[1:]],
        cwd=ROOT,
        check=True,
        capture_output=True,
        timeout=100,
    )
    told = json.loads(written.read_text())
    assert told["metadata"]["component"]["name"] == "groundwatch"
    lock = read_lock((ROOT / "requirements.lock").read_text())
    listed = {canonicalize_name(one["name"]): one for one in told["components"]}
    assert {name: one["version"] for name, one in listed.items()} == {
        name: pin.version for name, pin in lock.items()
    }
    for name, one in listed.items():
        [reference] = one["externalReferences"]
        assert [f"sha256:{hash_['content']}" for hash_ in reference["hashes"]] == lock[name].hashes
