"""The one values file: typed, closed, in order."""

import re
from importlib.resources import files

import pytest
import yaml
from pydantic import ValidationError

from service.thresholds import read, thresholds

PACKAGED = files("service").joinpath("thresholds.yaml").read_text(encoding="utf-8")


def changed(**changes):
    """The packaged file with some thresholds' fields replaced; None removes a threshold."""
    data = yaml.safe_load(PACKAGED)
    for name, change in changes.items():
        if change is None:
            del data[name]
        else:
            data[name] = data.get(name, {}) | change
    return yaml.safe_dump(data)


def test_packaged_file_is_read_with_values_units_and_sentences():
    severe = thresholds().unresolvable_citations_severe
    assert (severe.value, severe.unit) == (0.2, "ratio")
    assert list(thresholds().by_name()) == list(yaml.safe_load(PACKAGED))


def test_every_sentence_is_one():
    for name, threshold in thresholds().by_name().items():
        assert re.fullmatch(r"[A-Z][^.]+\.", threshold.sentence), name


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"fewest_answer": {"value": 1, "unit": "answers", "sentence": "X."}}, "fewest_answer\n"),
        ({"false_alarms_high": None}, "false_alarms_high"),
        ({"false_alarms_high": {"limit": 3}}, "limit"),
        ({"false_alarms_high": {"value": 20}}, "write 0.05 for 5 %"),
        ({"false_alarms_high": {"value": 0}}, "greater than 0"),
        ({"false_alarms_high": {"value": float("nan")}}, "finite"),
        ({"event_age_late": {"unit": "minutes"}}, "'seconds'"),
        ({"dead_letters_severe": {"value": 0.001}}, "dead_letters_severe is below"),
    ],
)
def test_a_wrong_file_is_refused_by_name(changes, told):
    with pytest.raises(ValidationError) as refused:
        read(changed(**changes))
    assert told in str(refused.value)


def test_thresholds_cannot_be_changed():
    with pytest.raises(ValidationError):
        thresholds().event_age_late.value = 1.0  # type: ignore[misc]  # what is refused


@pytest.mark.parametrize(
    ("low", "answers", "band"),
    [
        (0.05, 400, None),
        (0.051, 400, 0.05),
        (0.2, 400, 0.05),
        (0.201, 400, 0.2),
        (0.9, 29, None),
        (0.9, 30, 0.2),
    ],
)
def test_a_share_is_in_the_gravest_band_that_it_is_surely_above(low, answers, band):
    found = thresholds().band("unresolvable_citations", low, answers)
    assert (found and found.above) == band
