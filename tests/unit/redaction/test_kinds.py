"""What is masked, of each kind, and what reviewers need and must stay. English and German."""

from __future__ import annotations

import pytest

from service.policy import RedactionPolicy
from service.redaction.mask import MASK
from service.redaction.redactor import redactor_of

REDACTOR = redactor_of(RedactionPolicy())

MASKED = [
    ("email", "Write to jane.doe+x@mail.example.com.", "jane.doe+x@mail.example.com"),
    ("email", "mailto:jane@example.de?subject=x", "jane@example.de"),
    ("email", "a <j@x.io>", "j@x.io"),
    ("email", "https://x.de/?mail=jane%40example.com&x=1", "jane%40example.com"),
    ("email", 'To "jane doe"@example.com', '"jane doe"@example.com'),
    ("email", "an jürgen@müller.de schreiben", "jürgen@müller.de"),
    ("email", "jane＠example.com", "jane＠example.com"),
    ("iban", "IBAN: DE89 3704 0044 0532 0130 00 BIC X", "DE89 3704 0044 0532 0130 00"),
    ("iban", "(DE89370400440532013000)", "DE89370400440532013000"),
    ("iban", "de89-3704-0044-0532-0130-00", "de89-3704-0044-0532-0130-00"),
    ("iban", "GB29 NWBK 6016 1331 9268 19.", "GB29 NWBK 6016 1331 9268 19"),
    ("iban", "AT611904300234573201,", "AT611904300234573201"),
    ("card", "4111 1111 1111 1111", "4111 1111 1111 1111"),
    ("card", "card 5500-0000-0000-0004.", "5500-0000-0000-0004"),
    ("card", "4111111111111111", "4111111111111111"),
    ("card", "3782 822463 10005", "3782 822463 10005"),
    ("card", "Feld 1234 4111 1111 1111 1111", "4111 1111 1111 1111"),
    ("card", "4111\u00a01111\u20091111\u200b1111", "4111\u00a01111\u20091111\u200b1111"),
    ("ip", "from 192.168.10.17:8080", "192.168.10.17"),
    ("ip", "2001:db8::1.", "2001:db8::1"),
    ("ip", "http://[2001:0db8:85a3:0000:0000:8a2e:0370:7334]/",
     "2001:0db8:85a3:0000:0000:8a2e:0370:7334"),
    ("ip", "fe80::1ff:fe23:4567:890a%eth0", "fe80::1ff:fe23:4567:890a"),
    ("phone", "Tel. 030/901820", "030/901820"),
    ("phone", "+49 (0)30 901820-12 anrufen", "+49 (0)30 901820-12"),
    ("phone", "0049 30 901820", "0049 30 901820"),
    ("phone", "mobil 01711234567.", "01711234567"),
    ("phone", "0171 1234567", "0171 1234567"),
    ("phone", "+1 (415) 555-2671", "+1 (415) 555-2671"),
    ("phone", "(415) 555-2671", "(415) 555-2671"),
    ("phone", "415-555-2671", "415-555-2671"),
    ("phone", "020 7946 0958", "020 7946 0958"),
    ("phone", "044 668 18 00", "044 668 18 00"),
    ("phone", "Telefonnummer: 612 345 678", "612 345 678"),
    ("phone", "Call us at 415 555 2671", "415 555 2671"),
    ("phone", "am 01.12.2026 030 901820", "030 901820"),
    ("phone", "030 – 901 820", "030 – 901 820"),
    ("phone", "＋４９ ３０ ９０１８２０", "＋４９ ３０ ９０１８２０"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "text", "value"), MASKED)
def test_a_value_is_masked_and_nothing_beside_it(kind: str, text: str, value: str) -> None:
    found = REDACTOR.redact(text)
    assert set(found.kinds) == {kind}
    start = text.index(value)
    before, masked = found.text[:start], found.text[start : start + len(value)]
    assert before + value + found.text[start + len(value) :] == text
    assert not any(map(str.isalnum, masked))
    assert MASK in masked


def test_two_numbers_in_a_row_are_two() -> None:
    assert REDACTOR.redact("030 901820 030 901821").kinds == {"phone": 2}


STAYS = [
    # prices and quantities
    "Im Pro-Tarif 45 € [pricing#plans].", "1.234.567,89 €", "1,234,567.89", "+20 000 000 €",
    "100 000 000 Nutzer", "10 000 – 20 000", "500.000-1.000.000", "0,5 %", "0.123456789",
    "3.141592653589793", "020 3000 4000 5000 EUR", "€ 020 3000 400", "1 000 000 000",
    # dates and times
    "01.12.2026", "2026-12-01", "01/12/2026", "2026-12-01T08:00:00Z", "08:00-17:00",
    "08.00-17.00 Uhr", "1. Januar 2026", "01.01.2026-31.12.2026", "2020-2026", "12:30:45",
    "1764547200", "1764547200000",
    # versions and sections
    "Version 2.10.3.1", "v1.2.3.4", "Chrome 120.0.6099.109", "1.2.3.4", "Firmware 10.15.7.12",
    "Abschnitt 10.2.3.4", "Section 10.20.30.40", "Python 3.11.9", "react@18.2.0",
    "lodash@4.17.21", "foo@1.0.0-beta.rc", "GPT-4.1", "2026.11.29.2", "Raum 0.10.12",
    # article numbers, files, contracts
    "Artikelnummer 0815-4711", "Art.-Nr. 012345678", "0815-4711", "Bestellnr. 0301234567",
    "Kundennummer: 0171 1234567", "Rechnung 0301234567", "Order 020 7946 0958", "#0123456",
    "EAN 4006381333931", "4006381333931", "ISBN 978-3-16-148410-0", "ISBN 0-306-40615-2",
    "DE123456789", "HRB 123456", "Aktenzeichen 012 34567/26", "1234567890123456",
    "12345678901234", "007 0815 4711", "Zeile 010101 bis 020202",
    # what fails its check digit is something else
    "4111 1111 1111 1112", "DE88 3704 0044 0532 0130 00",
    # ids of documents and releases
    "kb-101", "doc#00123456", "T-0301234567", "page-030-1234567",
    "550e8400-e29b-41d4-a716-446655440000", "12345678-1234-4123-9123-123456789012",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "0x7fff5694dc58",
    "https://example.com/a/0301234567",
    # postal codes, standards, short numbers
    "PLZ 01067", "01067 Dresden", "01067, 10115", "0151", "ISO 27001:2022", "RFC 8259",
    "DIN EN 60529", "§ 355 BGB", "Tel. 110", "Durchwahl 4711",
    # programs and networks
    "@pytest.fixture", "user@localhost", "std::vector", "a::b", "::1", "127.0.0.1",
    "255.255.255.0", "0.0.0.0:8080", "00:1a:2b:3c:4d:5e",
]  # fmt: skip


@pytest.mark.parametrize("text", STAYS)
def test_what_reviewers_need_stays(text: str) -> None:
    assert REDACTOR.redact(text).text == text


def test_a_kind_can_be_turned_off() -> None:
    policy = RedactionPolicy(ip=False, phone=False)
    text = "10.20.30.40, +49 30 901820, jane@example.com"
    assert redactor_of(policy).redact(text).kinds == {"email": 1}


def test_the_regions_say_which_numbers_are_known_without_a_country_code() -> None:
    madrid = "612 345 678 or 0612 345 678 90"
    assert redactor_of(RedactionPolicy(phone_regions=("US",)))("020 7946 0958") == "020 7946 0958"
    assert redactor_of(RedactionPolicy(phone_regions=()))("+44 20 7946 0958").count(MASK) == 12
    assert redactor_of(RedactionPolicy(phone_regions=()))(madrid) == madrid
