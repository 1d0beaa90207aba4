"""Where helm comes from."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.chart.helm import VERSION, HelmMissing, helm_program


def test_without_helm_and_go_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("GROUNDWATCH_TEST_CACHE", str(tmp_path))
    with pytest.raises(HelmMissing, match="put helm on PATH, or Go"):
        helm_program()


def test_it_is_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = tmp_path / "go-bin" / f"helm-{VERSION}"
    built.parent.mkdir()
    built.touch()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("GROUNDWATCH_TEST_CACHE", str(tmp_path))
    assert helm_program() == str(built)
