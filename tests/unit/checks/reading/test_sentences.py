"""Where sentences end, and where they do not: abbreviations, ordinals, Markdown, quotations."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from service.checks.reading.sentences import Kind, read
from tests.unit.timing import cpu_seconds


def words(text: str) -> list[str]:
    return [text[one.start : one.end] for one in read(text)]


def kinds(text: str) -> list[tuple[str, Kind]]:
    return [(text[one.start : one.end], one.kind) for one in read(text)]


WHOLE = [
    "Das kostet z. B. 3,50 € im Monat.",
    "Das gilt d. h. immer, vgl. Abs. 3 und S. 12.",
    "Am 3. März beginnt das 2. Quartal.",
    "3. März 2026 ist der Stichtag.",
    "Rund 5 Mio. Euro kostet es, inkl. MwSt. und zzgl. Versand.",
    "Dr. Smith, e.g. in the U.S. office, agrees with Prof. Jones et al. on this.",
    "See Fig. 3 and No. 7 for $3.50 per unit.",
    "J. Smith wrote it.",
    "Version 3.2.1 is at https://example.test/a.b?c=d.e today.",
    "It closes at 9 p.m. on weekdays.",
    "Er sagt: „Das geht. Wirklich.“",
    '"It works. Really." she said.',
    "「はい。そう」と言った。",
    "Die Zeile wurde umgebrochen, weil sie länger war als die\nBreite des Fensters.",
    "Is it free? yes.",
]


@pytest.mark.parametrize("text", WHOLE)
def test_one_sentence_stays_whole(text: str) -> None:
    assert words(text) == [text]


APART = [
    ("Die Grenze ist 25. Im Team nicht.", ["Die Grenze ist 25.", "Im Team nicht."]),
    ("Das gilt für Gas usw. Danach nicht.", ["Das gilt für Gas usw.", "Danach nicht."]),
    ("It opens at 9 a.m. Then it closes.", ["It opens at 9 a.m.", "Then it closes."]),
    ("State of the art. Next.", ["State of the art.", "Next."]),
    ("Is it? No. The plan ends.", ["Is it?", "No.", "The plan ends."]),
    ("34 € [1]. [2] Next.", ["34 € [1]. [2]", "Next."]),
    ("34 €.【1†a】 Next.", ["34 €.【1†a】", "Next."]),
    ("34 €.[1](https://a.test/x) Next.", ["34 €.[1](https://a.test/x)", "Next."]),
    ("34 €.¹ Next.", ["34 €.¹", "Next."]),
    ("Yes. [Team](https://a.test) costs 5.", ["Yes.", "[Team](https://a.test) costs 5."]),
    ("[1] A costs 3. [2] B costs 4.", ["[1] A costs 3.", "[2] B costs 4."]),
    ("価格は45ドルです。次の文です！", ["価格は45ドルです。", "次の文です！"]),
    ("Ort: Köln\nTelefon: 0221 123", ["Ort: Köln", "Telefon: 0221 123"]),
    ("v3: up to 50 MB\nv4: up to 200 MB", ["v3: up to 50 MB", "v4: up to 200 MB"]),
    ("A line  \nand its break.", ["A line", "and its break."]),
    ("**Fett.** Weiter.", ["**Fett.**", "Weiter."]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), APART)
def test_sentences_are_told_apart(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_markdown() -> None:
    text = (
        "# Prices\n\nThree plans:\n\n- Starter: 19 €\n- [x] Team: 34 €. With seats.\n\n"
        "| Plan | Price |\n|---|---|\n| Team | 34 € |\n\n```py\na = 1. \nB\n```\n> Quoted. Again."
    )

    assert kinds(text) == [
        ("Prices", Kind.HEADING),
        ("Three plans:", Kind.PROSE),
        ("Starter: 19 €", Kind.ITEM),
        ("Team: 34 €.", Kind.ITEM),
        ("With seats.", Kind.ITEM),
        ("| Plan | Price |", Kind.HEADING),
        ("| Team | 34 € |", Kind.ROW),
        ("```py\na = 1. \nB\n```", Kind.CODE),
        ("Quoted.", Kind.QUOTE),
        ("Again.", Kind.QUOTE),
    ]


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("**Preise**\nText.", "**Preise**"),
        ("Preise\n======\nText.", "Preise"),
        ("Plan | Price\n---|---\nTeam | 34 €", "Plan | Price"),
    ],
)
def test_other_headings(text: str, heading: str) -> None:
    assert kinds(text)[0] == (heading, Kind.HEADING)
    assert [kind for _, kind in kinds(text)].count(Kind.HEADING) == 1


def test_blocks_are_numbered() -> None:
    blocks = [one.block for one in read("Abc def. Ghi jkl.\n\n- one\n\n- two\n\nMno pqr.")]

    assert blocks == [0, 0, 1, 1, 2]


def test_an_open_fence_runs_to_the_end() -> None:
    assert kinds("Text.\n\n~~~\nA. B.\n\nC.") == [
        ("Text.", Kind.PROSE),
        ("~~~\nA. B.\n\nC.", Kind.CODE),
    ]


@example("# ")
@example("> ")
@example("-  \n- Z")
@given(st.text(alphabet='aZ1 .!?\n|-*#>`[]()„“"。:', max_size=80))
def test_any_text_is_read_in_order_and_loses_no_letter(text: str) -> None:
    end = 0
    for one in read(text):
        assert end <= one.start < one.end <= len(text)
        between = text[end : one.start]
        assert not any(char in "Z" for char in between)
        end = one.end
    assert "Z" not in text[end:]


HOSTILE = [
    ".", ". ", "[", '"', "| - ", " ", "- \n", ".)", "a.[1", "„a. B", "```\n", "***", "z. B. ", "\n",
    "A.<sup", "a|b\n-|-\n", "a\n", "1. ", "A. [", "> ", "a:b ",
]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_hostile_texts_take_linear_time(piece: str) -> None:
    def seconds(length: int) -> float:
        text = (piece * length)[:length]
        return cpu_seconds(lambda: read.__wrapped__(text), times=1)

    seconds(1_000)
    assert seconds(160_000) < 40 * max(seconds(20_000), 0.002)
