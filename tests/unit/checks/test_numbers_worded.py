"""Numbers that are said in words, shared by a range, or told as a date: what the check decides.

Each row: a text, an answer, and (where it is wrong) the surfaces that are reported.
"""

from __future__ import annotations

import pytest

from service.checks import numbers
from tests.unit.checks.labelled import given

SAME = [
    # dix-sept, dix-huit, dix-neuf
    ("La garantie dure dix-huit mois.", "La garantie dure 18 mois."),
    ("La salle a cent dix sept places.", "La salle a 117 places."),
    ("Une église du dix-neuvième siècle.", "Une église du 19e siècle."),
    ("Une idée du vingt et unième siècle.", "Une idée du 21e siècle."),
    # Spanish hundreds of feminine nouns
    ("El hotel tiene doscientas treinta y cinco plazas.", "El hotel tiene 235 plazas."),
    ("Viven allí novecientas mil personas.", "Viven allí 900.000 personas."),
    ("Hay veintiuna salas.", "Hay 21 salas."),
    # one behind a thousand
    ("It holds one thousand one hundred files.", "It holds 1,100 files."),
    ("She left in two thousand and one.", "She left in 2001."),
    ("Les mille et une nuits.", "Les 1001 nuits."),
    ("Hay mil una fichas.", "Hay 1.001 fichas."),
    # scales of scales, and two numbers that a joint parts
    ("Costó tres mil millones de euros.", "Costó 3.000 millones de euros."),
    ("Mille deux cents milliards d'euros.", "1 200 milliards d'euros."),
    ("Between one hundred and two hundred guests.", "Between 100 and 200 guests."),
    ("Between one million and two million people.", "From 1 million to 2 million people."),
    ("Between one thousand and three million people.", "From 1,000 to 3 million people."),
    ("Entre mille et un million d'habitants.", "De 1 000 à 1 000 000 d'habitants."),
]


@pytest.mark.parametrize(("text", "answer"), SAME)
def test_what_says_the_same_is_no_finding(text: str, answer: str) -> None:
    result = numbers.check(given(answer, text))
    assert [finding.surface for finding in result.findings] == []
    assert result.evaluated


DIFFERENT = [
    ("La garantie dure dix-huit mois.", "La garantie dure 17 mois.", "17 mois"),
    ("La garantie dure dix mois.", "La garantie dure dix-sept mois.", "dix-sept mois"),
    ("Hay doscientas treinta plazas.", "Hay trescientas treinta plazas.", "trescientas treinta"),
    ("It holds 1000 files.", "It holds one thousand one files.", "thousand one"),
    ("It costs a thousand a day.", "It costs 1,001 a day.", "1,001"),
]


@pytest.mark.parametrize(("text", "answer", "surface"), DIFFERENT)
def test_what_says_something_else_is_one(text: str, answer: str, surface: str) -> None:
    result = numbers.check(given(answer, text))
    assert [finding.surface for finding in result.findings] == [surface]
