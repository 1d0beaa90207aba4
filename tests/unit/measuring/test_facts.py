from __future__ import annotations

import time

import pytest

from service.measuring.facts import Fact, FactError, Met, read_facts, rule

HOURS = {"value": "72 hours"}


def ruled(fact, answer, marks=()):
    (met,) = rule(read_facts([fact]), answer, marks)
    return met


@pytest.mark.parametrize(
    "answer",
    [
        "Download links are valid for 72 hours.",
        "They work for three days.",
        "Ein Link gilt 3 Tage.",
        "Die Links sind 72 Stunden lang gültig.",
        "It is not 48 but 72 hours.",
        "Es sind nicht 48, sondern 72 Stunden.",
        "You need no login, and the link works for 72 hours.",
        "Links do not last 24 hours. They last three days.",
        "Valid for: **72 h**",
    ],
)
def test_a_value_is_met_in_whatever_words(answer):
    assert ruled(HOURS, answer) is Met.MET


@pytest.mark.parametrize(
    "answer",
    ["They are valid for 72 days.", "72 minutes.", "Gültig für 48 Stunden.", "They expire.", ""],
)
def test_another_value_is_not_met(answer):
    assert ruled(HOURS, answer) is Met.NOT_MET


@pytest.mark.parametrize(
    "answer",
    [
        "Links are not valid for 72 hours.",
        "They don't last 72 hours.",
        "Die Links gelten nicht 72 Stunden.",
        "72 Stunden gelten hier nicht, fragen Sie nach.",
        "Instead of three days it is a week.",
        "It is 48 but not 72 hours.",
        "Do you mean 72 hours?",
    ],
)
def test_a_negated_value_is_undetermined(answer):
    assert ruled(HOURS, answer) is Met.UNDETERMINED
    assert ruled(HOURS | {"absent": True}, answer) is Met.UNDETERMINED


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        ("29 July 2026", "Ab dem 29.07.2026."),
        ("34 €", "Team kostet 34,00 EUR."),
        ("1,000,000", "1 million runs"),
        ("15 %", "15 Prozent Aufschlag"),
        ("-48.60 €", "A balance of −48.60 € is yours."),
        ("18:00", "Bis 18 Uhr"),
    ],
)
def test_dates_money_and_times_by_value(value, answer):
    assert ruled({"value": value}, answer) is Met.MET


def test_the_number_of_a_citation_is_no_value():
    answer = "There are some [3]."
    assert ruled({"value": "3"}, answer, [(15, 18)]) is Met.NOT_MET
    assert ruled({"value": "3"}, "There are 3 [3].", [(12, 15)]) is Met.MET


def test_the_day_of_a_date_is_no_value_of_its_own():
    assert ruled({"value": "30"}, "Am 30. September 2027.") is Met.NOT_MET
    assert ruled({"value": "30"}, "It takes 30 steps, from 30 September on.") is Met.MET
    assert ruled({"value": "2027"}, "In 2027.") is Met.MET
    assert ruled({"value": "v5.4.1"}, "Use release 5.4.1.") is Met.MET


def test_patterns_ignore_case_and_see_negation():
    fact = {"pattern": r"owners? can"}
    assert ruled(fact, "Only Owners can delete it.") is Met.MET
    assert ruled(fact, "Not even owners can delete it.") is Met.UNDETERMINED
    assert ruled(fact, "Editors can.") is Met.NOT_MET
    assert ruled({"pattern": "not refundable"}, "It is not refundable.") is Met.MET
    assert ruled({"pattern": "owner.*admin"}, "An owner, or else an admin.") is Met.MET
    assert ruled({"pattern": r"(?s)owner.*admin"}, "An owner may.\n\nOr an admin.") is Met.MET


def test_a_forbidden_fact_is_met_by_its_absence():
    assert ruled(HOURS | {"absent": True}, "They expire after 48 hours.") is Met.MET
    assert ruled(HOURS | {"absent": True}, "They expire after three days.") is Met.NOT_MET


def test_words_alone_are_for_a_judge():
    assert ruled({"text": "Only owners can do it"}, "Only owners can do it.") is Met.UNDETERMINED
    assert Fact(pattern="x+", text="many x").words == "many x"


@pytest.mark.parametrize(
    ("fact", "says"),
    [
        ({"value": "a while"}, "no number, date or time"),
        ({"value": "5 or 72 hours"}, "more than one"),
        ({"pattern": "(a"}, "brackets"),
        ({"pattern": "(?=a)b"}, "look-around"),
        ({"pattern": r"(a)\1"}, "back references"),
        ({"pattern": "a", "value": "1"}, "not both"),
        ({"patern": "a"}, "no such field: patern"),
        ({"absent": True}, "says nothing"),
        ({"value": 72}, "must be a string"),
        ("72 hours", "must be an object"),
    ],
)
def test_what_cannot_be_used_is_refused(fact, says):
    with pytest.raises(FactError, match=r"^fact 2: ") as refused:
        read_facts([HOURS, fact])
    assert says in str(refused.value)


def test_a_long_answer_costs_linear_time_whatever_the_pattern():
    begun = time.process_time()
    assert ruled({"pattern": "(a+)+$b"}, "a" * 150_000) is Met.NOT_MET
    assert ruled({"pattern": "(.*a){9}b"}, "a, " * 50_000) is Met.NOT_MET
    assert time.process_time() - begun < 10
    assert ruled(HOURS, "x" * 200_001) is Met.UNDETERMINED
