"""Units of the numbers check: which say the same, which do not. Each row: a text, an answer."""

from __future__ import annotations

import pytest

from service.checks.reading import units
from tests.unit.checks.labelled import given, run

STORAGE = "| Tier | Storage (GB) | Price (CAD) |\n|---|---|---|\n| Plus | 50 | 12 |"
SALES = "| Region | Umsatz in Tsd. € | Anteil (%) |\n|---|---|---|\n| Nord | 12 | 7 |"

ALIKE = [
    # metric prefixes
    ("The battery holds 5,000 mAh.", "It holds 5 Ah."),
    ("Das Modul hat 440 Wp.", "Das Modul leistet 0,44 kWp."),
    ("Die Anlage hat 10 kWp.", "Die Anlage hat 10 kW."),
    ("Der Kessel hält 6 MPa.", "Der Kessel hält 60 bar."),
    ("Add 2 dl of milk.", "Add 200 ml of milk."),
    ("A resistor of 4.7 kOhm.", "It has 4,700 Ω."),
    ("The air is at 1013 hPa.", "The air is at 1.013 bar."),
    ("It gives 500 cal.", "It gives 500 kcal."),
    # one letter is a unit where the other side measures the same, or else a label
    ("Fuse: 5 A.", "The fuse takes 5,000 mA."),
    ("Fuse: 500 mA.", "The fuse takes 0.5 A."),
    ("It needs 12 V and 2 A.", "It needs 12 volts and 2 amperes."),
    ("Plan 5 A costs 12 €.", "Plan 5A costs 12 €, plan 5 A too."),
    ("Since 3 March 2020 a depot is there.", "In 2020 A depot was opened."),
    ("On 3 March 2020 it opened.", "In 2020 VA hospitals reported it."),
    # spellings
    ("Der Wein hat 5,8 % vol.", "Der Wein hat 5,8 Volumenprozent."),
    ("Der Wein hat 5,8 % vol.", "Der Wein hat 5,8 Vol.-% Alkohol."),
    ("Take 400 I.E. a day.", "Take 400 IU a day."),
    ("The wall is 5 cm, i.e. thin.", "It is 5 i.e. thin."),
    ("Sie misst 120 mmHg.", "Sie misst 120 mm Hg."),
    ("Drehzahl 3000 min⁻¹.", "Die Drehzahl ist 3000 U/min."),
    ("Drehzahl 3000 min-1.", "It turns at 3000 rpm."),
    ("Ein Moment von 250 Nm.", "A torque of 250 NM."),
    ("A line of 100 mb/s.", "A line of 100 MB/s."),
    ("Mit 9 TL Öl.", "Mit 3 Esslöffeln Öl."),
    # told for something
    ("The dose is 5 mg/ml.", "The dose is 5 g/l."),
    ("Glucose is 70 mg/dL.", "Glucose is 0.7 g/L."),
    ("Speed 60 km/h.", "Speed is 60 km per hour, or 1 km/min."),
    ("It costs 12 € a month.", "It costs 144 € a year."),
    ("Parking is $5 per hour.", "Parking is $5 an hour."),
    ("Parking is $5 hourly.", "Parking is $5 per hour."),
    ("Es kostet monatlich 20 €.", "Es kostet 20 €/Monat."),
    ("Das Abo: 20 €. Oder 20 €/Monat.", "Es kostet 20 €/Jahr."),
    ("$5 per hour, or $5 per day.", "It is $5 per day."),
    ("20 € pro Nutzer und Monat.", "Es sind 20 € im Monat je Nutzer."),
    ("20 € pro Nutzer.", "Es sind 20 € pro Monat."),
    ("$20 per seat per month.", "It is $20/user/month."),
    ("It has 70 kcal/100 g.", "It has 70 kcal per 100 g."),
    ("It has 70 kcal/100 g.", "It has 70 kcal per portion."),
    ("Im Jahr 2020 gab es 20 €/Monat.", "Es gab 20 € im Jahr 2020."),
    ("Take 2 mg/kg/day.", "Take 2 mg per day and kg."),
    ("Sie nimmt 20 € pro Tag.", "Sie nimmt 20 € pro Arbeitstag."),
    # converted and rounded
    ("The ride is 100 km long.", "The ride is 62 miles long."),
    ("The ride is 100 km long.", "The ride is about 60 miles long."),
    ("The gap is 3 miles.", "The gap is 5 km."),
    ("The box is 5 litres.", "The box is 5 dm³."),
    ("It is 5 mbar.", "It is 5 hPa."),
    ("The tyre holds 32 psi.", "The tyre holds 2.2 bar."),
    ("It gives 500 kcal.", "It gives 2,092 kJ or about 2.1 MJ."),
    ("Der Speicher gab 9.846 kWh ab.", "Das sind rund 9,8 MWh."),
    ("The ditch is 12,870 m long.", "The ditch is about 13 km long."),
    ("The ditch is 12,870 m long.", "The ditch is over 12 km long."),
    ("Der Graben ist 12.870 m lang.", "Der Graben ist ca. 12,9 km lang."),
    # a heading or a key tells the unit
    (STORAGE, "Plus has 50 GB."),
    (STORAGE, "Plus has 50 gigabytes, which are 50,000 MB."),
    (STORAGE, "Plus has 50."),
    (STORAGE, "It costs $12."),
    (SALES, "Nord setzt 12 Tsd. € um, das sind 12.000 €."),
    (SALES, "| Region | Umsatz (Tsd. €) |\n|---|---|\n| Nord | 12 € |"),
    (SALES, "Der Anteil stieg um 7 Prozentpunkte."),
    ('{"weight_kg": 1.2, "price_min": 12}', "It weighs 1,200 g and costs from 12 €."),
    ("| Caffeine (mg) | 12 |", "It has 12 mg of caffeine."),
    ("| Club | Runs (h) |\n|---|---|\n| Reds | 12 |", "The Reds had 12 % at home."),
]


@pytest.mark.parametrize(("text", "answer"), ALIKE)
def test_units_that_say_the_same(text: str, answer: str) -> None:
    assert run("numbers", given(answer, text)).findings == ()


MISMATCHED = [
    ("Der Druck beträgt 16 bar.", "Der Druck beträgt 16 psi.", "16 psi"),
    ("It draws 20 mA.", "It draws 20 A.", "20"),
    ("It draws 20 A at most.", "It draws 20 mA.", "20 mA"),
    ("The pin takes 3.3 V.", "The pin takes 3.3 mV.", "3.3 mV"),
    ("A 10 µF capacitor.", "A 10 nF capacitor.", "10 nF"),
    ("A 5 kΩ resistor.", "A 5 MΩ resistor.", "5 MΩ"),
    ("Glucose is 5 mmol/L.", "Glucose is 5 mg/dL.", "5 mg"),
    ("Take 10 IU daily.", "Take 10 mg daily.", "10 mg"),
    ("At 300 ppm CO2.", "At 300 ppb CO2.", "300 ppb"),
    ("Die Dosis ist 4 mSv.", "Die Dosis ist 4 µSv.", "4 µSv"),
    ("It has 5 kcal.", "It has 5 kJ.", "5 kJ"),
    ("4 TL Salz zugeben.", "4 EL Salz zugeben.", "4 EL"),
    ("Add 4 tsp salt.", "Add 4 tbsp salt.", "4 tbsp"),
    ("A volume of 12 Mbit.", "A volume of 12 Mbyte.", "12 Mbyte"),
    ("A line of 50 MB/s.", "A line of 50 Mbit/s.", "50 Mbit/s"),
    ("The fuse is 2.5 A.", "The fuse is 2.5 V.", "2.5 V"),
    # told for something else
    ("Parking is $5 per hour.", "Parking is $5 per day.", "$5"),
    ("Es kostet 20 €/Monat.", "Es kostet 20 €/Jahr.", "20 €"),
    ("Es kostet 20 € pro Nutzer und Monat.", "Es sind 20 € pro Nutzer und Jahr.", "20 €"),
    ("The dose is 30 mg/kg.", "The dose is 30 mg/g.", "30 mg"),
    ("The dose is 5 mg/ml.", "The dose is 5 mg/l.", "5 mg"),
    ("Infuse 0.5 mL/h.", "Infuse 0.5 mL/min.", "0.5 mL"),
    ("Die Miete ist 25 €/m².", "Die Miete ist 25 €/m.", "25 €"),
    ("Speed 60 km/h.", "Speed is 60 km/min.", "60 km"),
    ("Il coûte 20 € par mois.", "Il coûte 20 € par an.", "20 €"),
    ("It costs $1.2 million a year.", "It costs $1.2 million per month.", "$1.2 million"),
    # a heading or a key tells the unit
    (STORAGE, "Plus has 50 MB.", "50 MB"),
    (STORAGE, "Plus weighs 50 kg.", "50 kg"),
    (STORAGE, "Plus costs €12.", "€12"),
    (SALES, "Nord setzt 12 € um.", "12 €"),
    ("| Firm | Sales (USD m) |\n|---|---|\n| Acme | 12 |", "Acme sold for $12.", "$12"),
    ('{"weight_kg": 12}', "It weighs 12 g.", "12 g"),
    ("Caffeine (mg) | 12", "It has 12 g of caffeine.", "12 g"),
]


@pytest.mark.parametrize(("text", "answer", "surface"), MISMATCHED)
def test_units_that_say_something_else(text: str, answer: str, surface: str) -> None:
    findings = run("numbers", given(answer, text)).findings
    assert [(finding.surface, finding.reason) for finding in findings] == [
        (surface, "unit_mismatch")
    ]


@pytest.mark.parametrize(
    ("text", "answer", "surface"),
    [
        ("The limit is 100 km/h.", "The limit is 100 mph.", "100 mph"),
        ("The ride is 10 km long.", "The ride is 10 miles long.", "10 miles"),
        ("The track is 100 m.", "The track is 100 yards.", "100 yards"),
        ("The rope is 20 m.", "The rope is 20 yd.", "20 yd"),
        ("The ride is 100 km long.", "The ride is about 100 miles long.", "100 miles"),
        ("The ride is 100 km long.", "The ride is 60 miles long.", "60 miles"),
        ("The ditch is 12,870 m long.", "The ditch is about 14 km long.", "14 km"),
        ("The ditch is 12,870 m long.", "The ditch is 13 km long.", "13 km"),
    ],
)
def test_what_is_no_conversion(text: str, answer: str, surface: str) -> None:
    findings = run("numbers", given(answer, text)).findings
    assert [finding.surface for finding in findings] == [surface]


@pytest.mark.parametrize("label", ["A4 sheets", "A-grades", "A/B tests", "A. Smith", "Apples"])
def test_a_letter_that_goes_on_is_no_unit(label: str) -> None:
    assert units.letter(f"12 {label}", 2) is None
