"""Every licence of what is shipped is known and allowed, and the check that says so can fail."""

from __future__ import annotations

import pytest

from tests.architecture.licences import PAGE, faults, licences, page


def test_the_page_is_current_and_all_may_be_shipped() -> None:
    found = licences()
    assert list(faults(found)) == []
    assert PAGE.read_text() == page(found)


@pytest.mark.parametrize(
    ("expression", "fault"),
    [
        ("MIT", []),
        ("MPL-2.0 AND (Apache-2.0 OR MIT)", []),
        ("GPL-3.0-only", ["lib: GPL-3.0-only is not allowed"]),
        ("MIT AND AGPL-3.0-or-later", ["lib: AGPL-3.0-or-later is not allowed"]),
        ("LGPL-2.1-or-later", ["lib: LGPL-2.1-or-later is not allowed"]),
        ("BSD License", ["lib: BSD License is not allowed"]),
        ("nothing", ["lib: nothing is not allowed"]),
    ],
)
def test_what_may_be_shipped(expression: str, fault: list[str]) -> None:
    assert list(faults({"lib": expression})) == fault


def test_an_exception_is_for_one_licence_of_one_distribution() -> None:
    assert list(faults({"crc32c": "LGPL-2.1-or-later"})) == []
    assert list(faults({"crc32c": "GPL-2.0-only"})) == ["crc32c: GPL-2.0-only is not allowed"]
