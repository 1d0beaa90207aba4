"""Two releases by their live answers."""

from __future__ import annotations

from service.makeup import Makeup
from service.measuring.attribution import Attributable
from service.measuring.compared_text import released_lines
from service.measuring.releases import LiveComparison, LiveRate, compare_releases
from tests.unit.web.traffic import Stream, counters


def made(release: str, hour: int, model: str, prompt: str) -> Makeup:
    return Makeup("support", release, hour, (model, prompt, "", "", "", "", "", ""))


OLD = Stream("support", "r1", first=4, last=2, hourly=20, unresolved=0.02)
NEW = Stream("support", "r2", first=2, hourly=20, unresolved=0.3)


def rate_of(found: LiveComparison, name: str) -> LiveRate:
    return next(rate for rate in found.rates if rate.name == name)


def test_a_release_that_fails_more_often_is_told_and_laid_to_its_one_change() -> None:
    makeups = [made("r1", 1, "m", "p"), made("r2", 9, "m", "p2"), made("r2", 5, "m", "p1")]
    found = compare_releases(counters([OLD, NEW]), makeups, "r1", "r2")
    held = rate_of(found, "unresolved").held
    assert held is not None
    assert held.difference.low > 0.1
    assert found.attribution.changed == {"prompt": ("p", "p2")}
    assert found.attribution.attributable is Attributable.YES
    text = "\n".join(released_lines(found))
    assert "unresolved " in text
    assert "higher by" in text


def test_what_cannot_be_told_says_how_many_more_answers_would() -> None:
    few = Stream("support", "r2", first=0.2, hourly=6, unresolved=0.03)
    found = compare_releases(counters([OLD, few]), [], "r1", "r2")
    held = rate_of(found, "unresolved").held
    assert held is not None
    assert not held.difference.told
    text = "\n".join(released_lines(found))
    assert "can't tell" in text
    assert "more answers would" in text
    assert "no part of the release is recorded" in text


def test_another_ruleset_cannot_be_compared() -> None:
    other = Stream("support", "r2", first=1, ruleset="2-bbbb")
    found = compare_releases(counters([OLD, other]), [], "r1", "r2")
    assert all(rate.held is None for rate in found.rates)
    assert "different rulesets" in "\n".join(released_lines(found))


def test_other_apps_and_languages_are_held_equal_or_left_out() -> None:
    streams = [OLD, NEW, Stream("sales", "r1", first=3, hourly=9),
               Stream("support", "r2", first=1, hourly=5, language="fr")]  # fmt: skip
    found = compare_releases(counters(streams), [], "r1", "r2")
    held = rate_of(found, "flagged").held
    assert held is not None
    assert held.strata == 1
    assert held.left_out[0] > 0
    assert held.left_out[1] > 0
    assert found.apps == ("sales", "support")
    only = compare_releases(counters(streams), [], "r1", "r2", app="support")
    assert only.apps == ("support",)
