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
    # parts of hours, years and dozens
    ("Die Fahrt dauert eineinviertel Stunden.", "Die Fahrt dauert 75 Minuten."),
    ("Die Fahrt dauert 165 Minuten.", "Die Fahrt dauert zweidreiviertel Stunden."),
    ("Es ist eine anderthalbstündige Sitzung.", "Die Sitzung dauert 90 Minuten."),
    ("Kündbar vor Ablauf eines Vierteljahrs.", "Kündbar vor Ablauf von 3 Monaten."),
    ("Kündbar vor Ablauf eines halben Jahres.", "Kündbar vor Ablauf von 6 Monaten."),
    ("Die Frist beträgt drei Vierteljahre.", "Die Frist beträgt 9 Monate."),
    ("It takes ¾ of an hour.", "It takes 45 minutes."),
    ("It lasted a decade.", "It lasted 10 years."),
    ("Es dauerte 20 Jahre.", "Es dauerte zwei Jahrzehnte."),
    ("Half a dozen eggs.", "It takes 6 eggs."),
    ("Ein halbes Dutzend Eier.", "Man braucht 6 Eier."),
    ("Une demi-douzaine d'œufs.", "Il faut 6 œufs."),
    ("La caja trae media docena de huevos.", "La caja trae 6 huevos."),
    ("Es kamen 18 Gäste.", "Es kamen anderthalb Dutzend Gäste."),
    ("In H1 2025 stieg der Umsatz um 5 %.", "Im ersten Halbjahr 2025 stieg er um 5 %."),
    # ratios
    ("One in five users agreed.", "20 % of the users agreed."),
    ("20 % der Nutzer stimmten zu.", "Jeder fünfte Nutzer stimmte zu."),
    ("3 out of 4 dentists agree.", "75 % of dentists agree."),
    ("33 % of users agreed.", "One in three users agreed."),
    # a scale for both ends of a range
    ("The budget is €10–15k.", "The budget is €10,000 to €15,000."),
    ("Revenue of $1.2-1.4bn is expected.", "At least $1.2bn is expected."),
    ("It has 10-15k users.", "It has at least 10k users."),
    ("It has 10k to 15k users.", "It has 10-15k users."),
    ("Es kostet 3–5 Mio. €.", "Es kostet mindestens 3 Mio. €."),
    ("Between two and three million people.", "Between 2 and 3 million people."),
    ("Es kostet zwei- bis dreitausend Euro.", "Es kostet 2.000 bis 3.000 €."),
    ("The budget is €5–10m.", "The budget is at least €5 million."),
    ("The pool is 5–10m long.", "The pool is at least 5 m long."),
    # 万 and 億 with what goes on behind them
    ("料金は1万8,500円です。", "料金は18,500円です。"),
    ("料金は18,500円です。", "料金は1万8500円です。"),
    ("売上は3億2,400万円です。", "売上は3.24億円です。"),
    ("人口は1億2,345万6,789人です。", "人口は123,456,789人です。"),
    ("会议五点一刻开始。", "会议5:15开始。"),
    # times with a dot
    ("The meeting is at 10.30 in room 4.", "The meeting is at 10:30."),
    ("Open 9.30-17.00 daily.", "Open from 9:30 am to 5 pm."),
    ("Het begint om 19.30 uur.", "Het begint om 19:30."),
    ("Il concerto inizia alle 18:30.", "Il concerto inizia alle 18.30."),
    ("Die Sitzung beginnt um 9.05.", "Die Sitzung beginnt um 09:05 Uhr."),
    # an order that the text states
    ("Due: 12/03/2026 (day/month/year)", "It is due on 12 March 2026."),
    ("Due: 12/03/2026 (mm/dd/yyyy)", "It is due on December 3, 2026."),
    ("MM/DD/YYYY or DD/MM/YYYY. Due: 12/03/2026", "It is due on December 3, 2026."),
    ("MM/DD/YYYY or DD/MM/YYYY. Due: 12/03/2026", "It is due on 12 March 2026."),
    # centuries
    ("La chiesa è del XII secolo.", "The church is from the 12th century."),
    ("Sie stammt aus dem XII. Jahrhundert.", "Sie stammt aus dem 12. Jahrhundert."),
    ("Sie stammt aus dem zwölften Jahrhundert.", "Sie stammt aus dem XII. Jh."),
    ("Letters of the XIX and XX centuries.", "Letters of the 19th and 20th centuries."),
    ("Uma igreja do século XII.", "A 12th century church."),
    ("La domanda scade alle ore 18:00.", "La domanda scade alle 18."),
    ("The shop closes at 9.", "The shop closes at 9:00 pm."),
    # months and scales of further languages
    ("Termin: 30 czerwca 2026.", "Termin to 30.06.2026."),
    ("Spotkanie 15 marca 2026 r.", "The meeting is on March 15, 2026."),
    ("Spotkanie 5 października 2026 r.", "Spotkanie 05.10.2026."),
    ("O feriado é 7 de setembro.", "O feriado é 07/09."),
    ("O prazo termina a 15 de março de 2026.", "The deadline is March 15, 2026."),
    ("Il festival va dal 2 al 5 maggio.", "The festival is from 2 May to 5 May."),
    ("Il 1° maggio è festa.", "May 1 is a holiday."),
    ("De deadline is 3 maart 2026.", "De deadline is 03-03-2026."),
    ("Het duurt 3 tot 5 dagen.", "It takes 3 days at least."),
    ("Il fatturato è di 2,5 miliardi di euro.", "The revenue is €2.5 billion."),
    ("Sono 20 mila euro.", "Sono 20.000 €."),
    ("A receita foi de 3 mil milhões de euros.", "The revenue was €3 billion."),
    ("A receita foi de R$ 3 bilhões.", "The revenue was R$3 billion."),
    ("A dívida é de 2 biliões de euros.", "The debt is €2 trillion."),
    ("De omzet was 3 miljard euro.", "The revenue was €3 billion."),
    ("Budżet wynosi 5 milionów złotych.", "Budżet wynosi 5 000 000 zł."),
    ("Kosztuje 20 tys. zł.", "Kosztuje 20 000 zł."),
    # one that belongs to what follows
    ("They built two thousand one-bedroom flats.", "They built 2,000 flats."),
    ("Ganó dos mil una vez.", "Ganó 2.000 una vez."),
    # both ends with their own sign
    ("The budget is $5-$10k.", "The budget is $5,000 to $10,000."),
    ("価格は1〜2万円です。", "価格は10,000円〜20,000円です。"),
    ("Two to three hundred thousand people.", "From 200,000 to 300,000 people."),
    # Italian
    ("La sala conta centoventotto posti.", "La sala ha 128 posti."),
    ("Costa duemila euro.", "Costa 2.000 €."),
    ("Sono trentatré giorni.", "Sono 33 giorni."),
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
    ("Die Fahrt dauert 70 Minuten.", "Sie dauert eineinviertel Stunden.", "eineinviertel Stunden"),
    ("Es dauert drei Vierteljahre.", "Es dauert drei Monate.", "drei Monate"),
    ("It takes 12 eggs.", "It takes half a dozen eggs.", "half a dozen"),
    ("One in five users agreed.", "25 % of the users agreed.", "25 %"),
    ("20 % der Nutzer stimmten zu.", "Jeder vierte Nutzer stimmte zu.", "vierte"),
    ("The budget is €10–15k.", "The budget is at least €12k.", "€12k"),
    ("Between ninety and one hundred guests.", "There were 9,000 guests.", "9,000"),
    ("料金は18,500円です。", "料金は1万8,600円です。", "1万8,600円"),
    ("料金は1万8,500円です。", "料金は10,000円です。", "10,000円"),
    ("The meeting is at 10.30.", "The meeting is at 10:20.", "10:20"),
    ("The fee is €10.30.", "The meeting is at 10:30.", "10:30"),
    ("The meeting is at 10:30.", "The meeting is at 10.20.", "10.20"),
    ("Due: 12/03/2026 (day/month/year)", "It is due on December 3, 2026.", "December 3"),
    ("Fällig: 12/03/2026 (Tag/Monat/Jahr)", "Fällig am 3. Dezember 2026.", "3. Dezember"),
    ("Date : 12/03/2026 (jj/mm/aa)", "Le 3 décembre 2026.", "3 décembre"),
    ("Due (dd.mm.yyyy): 12/03/2026", "It is due on December 3, 2026.", "December 3"),
    ("La chiesa è del XII secolo.", "La chiesa è del XIII secolo.", "XIII"),
    ("Sie stammt aus dem XII. Jahrhundert.", "Sie ist aus dem XIII. Jahrhundert.", "XIII"),
    ("It is from the 12th century.", "It is from the XIII century.", "XIII"),
    ("La scadenza è il 15 marzo.", "La scadenza è il 15 maggio.", "15 maggio"),
    ("Termin: 30 czerwca 2026.", "Termin: 30 lipca 2026.", "30 lipca"),
    ("De deadline is 3 maart.", "De deadline is 3 mei.", "3 mei"),
    ("Marco is 3 years old.", "It begins on 3 March.", "3 March"),
    ("Il budget è di 2,5 miliardi.", "Il budget è di 2,5 milioni.", "2,5 milioni"),
    ("It is open at 9.", "It is open at 10:00.", "10:00"),
    ("La sala ha 182 posti.", "La sala conta centoventotto posti.", "centoventotto"),
]


def test_italian_words_that_are_something_else_elsewhere_are_no_numbers() -> None:
    answer = "Otto nahm die due sei, Mila ein Venti in Cinque Terre, nel Novecento."
    assert numbers.check(given(answer, "Nichts.")).evaluated == 0


@pytest.mark.parametrize(("text", "answer", "surface"), DIFFERENT)
def test_what_says_something_else_is_one(text: str, answer: str, surface: str) -> None:
    result = numbers.check(given(answer, text))
    assert [finding.surface for finding in result.findings] == [surface]
