"""What two neighbours of a text give without standing there: and what they do not excuse."""

from __future__ import annotations

import pytest

from tests.unit.checks.test_numbers import decide, wrong


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        # a quotient
        ("A pack of 24 filters costs $36.", "They come at $1.50 each."),
        ("24 Filter kosten 36 €.", "Das sind 1,50 € pro Stück."),
        ("24 Filter kosten 36 €.", "Jeder kostet etwas: je 1,50 €."),
        ("Cook 48 kg for 6 people.", "That is 8 kg per person."),
        ("Three filters cost €10.", "They are €3.33 each."),
        ("24 filters cost $36.", "24 filters for $36 make $1.50."),
        # years
        ("He led it from 1998 to 2006.", "He led it for 8 years."),
        ("He led it from 1998 to 2006.", "He led it for eight years."),
        ("Born 1921, died 1988.", "She died aged 67."),
        ("(* 1921; † 1988)", "Sie wurde 67 Jahre alt."),
        ("Born 9 May 1921, died 3 June 1988.", "She died at the age of 67."),
        ("Born 9 May 1921, died 3 April 1988.", "She died at the age of 66."),
        # hours
        ("Open 9:00 to 17:30.", "It is open for 8.5 hours."),
        ("Geöffnet von 9:00 bis 17:30 Uhr.", "Es ist 8,5 Stunden geöffnet."),
        ("The shift runs from 10 pm to 6 am.", "It lasts 8 hours."),
        ("Doors 18:30, show 20:00.", "The doors open 90 minutes earlier."),
        # days
        ("Die Messe läuft vom 3.–10. Mai.", "Sie dauert 7 Tage."),
        ("Die Messe läuft vom 3. bis 10. Mai 2025.", "Sie dauert 8 Tage."),
        ("The fair runs from 27 February to 3 March 2024.", "It lasts 6 days."),
        ("The fair runs from 3 May to 17 May.", "It lasts two weeks."),
        # a change
        ("Der Umsatz stieg von 80 auf 92 Mio. €.", "Er stieg um 12 Mio. €."),
        ("Der Umsatz stieg von 80 auf 92 Mio. €.", "Er stieg um 15 %."),
        ("Umsatz: von 80 auf 92 Mio. €.", "Er stieg von 80 auf 92 Mio. €, um 12 Mio. € also."),
        ("Sales rose from $80 to $92 million.", "Sales rose by $12 million."),
        ("It fell from 40 kg to 30 kg.", "It fell by 25%."),
    ],
)
def test_two_neighbours_give_it(text: str, answer: str) -> None:
    result = decide(answer, text)

    assert wrong(result) == []
    assert "derived" in {evidence.kind for evidence in result.evidence}


@pytest.mark.parametrize(
    ("text", "answer", "surface"),
    [
        ("24 filters cost $36.", "They cost $1.50.", "$1.50"),
        ("24 filters cost $36.", "They cost $1.60 each.", "$1.60"),
        ("6 boxes of 12 kg.", "They weigh 2 kg each.", "2 kg"),
        ("6 boxes hold 12 kg each.", "They weigh 2 kg each.", "2 kg"),
        ("It costs $36. There are 24 filters.", "They cost $1.50 each.", "$1.50"),
        ("It costs $36 in 2024 already.", "They cost $0.02 each.", "$0.02"),
        ("Built in 1998. It was sold in 2006.", "It took 8 years.", "8 years"),
        ("Built in 1998, sold in 2006.", "It took 8 years.", "8 years"),
        ("Born 1921, died 1988.", "She died aged 66.", "66"),
        ("Born 1921, died 1988.", "There were 67 guests.", "67"),
        ("Open 9:00 to 17:30.", "It is open for 7 hours.", "7 hours"),
        ("Open 9:00 to 17:30.", "It is open for 20.5 hours.", "20.5 hours"),
        ("The fair runs from 3 May to 10 May.", "It lasts 9 days.", "9 days"),
        ("One is on 3 May, one on 10 May.", "It lasts 7 days.", "7 days"),
        ("Der Umsatz stieg von 80 auf 92 Mio. €.", "Er stieg um 13 Mio. €.", "13 Mio. €"),
        ("Der Umsatz stieg von 80 auf 92 Mio. €.", "Er stieg um 16 %.", "16 %"),
        ("A costs 80 €, B costs 92 €.", "B costs 12 € more.", "12 €"),
        ("A weighs 2.4 kg, B 1.1 kg.", "A weighs 2.4 kg, B 1.1 kg, both 3.5 kg.", "3.5 kg"),
    ],
)
def test_what_they_do_not_excuse(text: str, answer: str, surface: str) -> None:
    assert wrong(decide(answer, text)) == [surface]
