"""How people tell numbers: rounded, taken off, added up, as a time. Each row: a text, an answer."""

from __future__ import annotations

import pytest

from tests.unit.checks.labelled import given, run

ALIKE = [
    # 2.7 - 0.05 is more than 2.65 in binary
    ("Es entstehen 2,65 kg.", "Es entstehen rund 2,7 kg."),
    ("It takes 0.15 s.", "It takes about 0.2 s."),
    # what is taken off needs no sign
    ("Studierende: -20 %.", "Studierende erhalten 20 % Rabatt."),
    ("Menores: -20 %.", "Los menores tienen un 20 % de descuento."),
    ("Students: -20%.", "Students get 20% off."),
    ("Umsatz: −3,2 %.", "Der Umsatz ging um 3,2 % zurück."),
    # a time with a dot and an h
    ("Salida a las 8.15 h, llegada a las 13.40 h.", "Sale a las 8:15 y llega a las 13:40."),
    ("Reconstruite au XVIIIe siècle.", "Reconstruite au 18ᵉ siècle."),
    ("Flug LX 1843.", "Flug LX1843."),
    ("memory: 512Mi, limit 1Gi", "512 MiB of memory, at most 1 GiB."),
    ('{"power_w": 2750, "uptime_s": 86400}', "It draws 2.75 kW and is up for 24 hours."),
    # a year between two shares does not part them
    ("Margin 11.2% (2023: 10.4%).", "It widened by 0.8 percentage points to 11.2%."),
    # a sum that is called one needs no unit
    ("Dix-sept filles et dix-neuf garçons.", "17 filles et 19 garçons, soit 36 élèves."),
    ("520 people and 32 speakers came.", "520 people and 32 speakers came, 552 in total."),
    ("Kurs A hat 24, Kurs B 31 Plätze.", "A hat 24, B 31 Plätze, insgesamt 55."),
]
DIFFERENT = [
    ("It takes 2.64 kg.", "It takes about 2.7 kg.", "2.7 kg"),
    ("Revenue: -3%.", "Revenue is 3% higher.", "3%"),
    ("Salida a las 8.15 h.", "Sale a las 8:25.", "8:25"),
    ("Flug LX 1843.", "Flug LX1834.", "LX1834"),
    ("memory: 512Mi", "512 GiB of memory.", "512 GiB"),
    ('{"uptime_s": 86400}', "It is up for 25 hours.", "25 hours"),
    (
        "Margin 11.2% (2023: 10.4%).",
        "It widened by 0.9 percentage points.",
        "0.9 percentage points",
    ),
    ("520 people and 32 speakers came.", "520 people and 32 speakers came, 562 in total.", "562"),
    ("520 people and 32 speakers came.", "520 people and 32 speakers came to 552 talks.", "552"),
    (
        "Kurs A hat 24 Plätze und kostet 31 €.",
        "A hat 24 Plätze, kostet 31 €, insgesamt 55 Tage.",
        "55",
    ),
]


@pytest.mark.parametrize(("text", "answer"), ALIKE)
def test_told_alike(text: str, answer: str) -> None:
    assert [finding.surface for finding in run("numbers", given(answer, text)).findings] == []


@pytest.mark.parametrize(("text", "answer", "surface"), DIFFERENT)
def test_told_differently(text: str, answer: str, surface: str) -> None:
    found = [finding.surface for finding in run("numbers", given(answer, text)).findings]
    assert len(found) == 1
    assert found[0].startswith(surface)
