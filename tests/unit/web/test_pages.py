"""The pages: what stands first, what is marked, and that hostile text stays text."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from service.accounting import States, books_of
from service.review.cases import priority_terms
from service.web.assets import asset
from service.web.options import WebOptions
from service.web.showing import showable
from tests.unit.web.world import ANSWER, EVENT, NOW_MS, MemoryCases, World, books, case, finding

HOSTILE = (
    "</mark></style></title></textarea><script>document.title='owned'</script>"
    "<img src=x onerror=\"document.title='owned'\"> javascript:alert(1) {{ 7*7 }} &lt;"
)
EMPTY = books_of([], {}, States(), ())


class Elements(HTMLParser):
    """Every element with its attributes and the text of its subtree."""

    VOID = frozenset({"meta", "link", "br", "img", "input"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[dict[str, Any]] = []
        self._open: list[dict[str, Any]] = []
        self.feed(page)
        assert self._open == [], "an element was left open"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = {"tag": tag, "attrs": dict(attrs), "text": ""}
        self.found.append(element)
        if tag not in self.VOID:
            self._open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop()["tag"] == tag

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element["text"] += data

    @property
    def strangers(self) -> set[str]:
        """The tags of the page, without the one script that is ours."""
        ours = {"src": asset("review.js"), "defer": None}
        return {e["tag"] for e in self.found if e["tag"] != "script" or e["attrs"] != ours}

    def of(self, tag: str, **attrs: str) -> list[dict[str, Any]]:
        return [
            element
            for element in self.found
            if element["tag"] == tag
            and all(value in (element["attrs"].get(name) or "") for name, value in attrs.items())
        ]


def page(world: World, path: str) -> Elements:
    response = world.get(path)
    assert response.status_code == 200, response.text
    return Elements(response.text)


def case_page(**parts: Any) -> Elements:
    return page(World(cases=MemoryCases(case(**parts))), "/cases/c1")


def test_the_queue_shows_each_row_with_word_and_shape() -> None:
    world = World(cases=MemoryCases(case(), case("c2", severity="low", alike=1)))
    rows = page(world, "/queue").of("a", **{"class": "row"})
    assert [row["attrs"]["href"] for row in rows] == ["/cases/c1", "/cases/c2"]
    first, second = (" ".join(row["text"].split()) for row in rows)
    assert "▲ high" in first
    assert "○ low" in second
    assert '"54 €" stands in no retrieved text.' in first
    assert "Was kostet ein zusätzlicher Platz" in first
    assert "support · 2026-11-29.2 · absent" in first
    assert "3 alike" in first
    assert "alike" not in second


def test_a_filter_is_a_chip_that_takes_itself_away() -> None:
    world = World(cases=MemoryCases(case(app="a&b")))
    shown = page(world, "/queue?app=a%26b&severity=high")
    chips = shown.of("a", title="Remove this filter")
    assert [chip["attrs"]["href"] for chip in chips] == ["/queue?severity=high", "/queue?app=a%26b"]
    assert [option["text"] for option in shown.of("option") if "selected" in option["attrs"]] == [
        "a&b",
        "high",
        "open",
    ]


def test_the_queue_goes_on_to_the_next_page_with_its_filters() -> None:
    world = World(cases=MemoryCases(*(case(f"c{number}") for number in range(60))))
    first = page(world, "/queue?app=support")
    assert len(first.of("a", **{"class": "row"})) == 50
    (following,) = first.of("a", **{"class": "next"})
    assert following["attrs"]["href"] == "/queue?app=support&cursor=50"
    last = page(world, following["attrs"]["href"])
    assert len(last.of("a", **{"class": "row"})) == 10
    assert last.of("a", **{"class": "next"}) == []
    assert "first page" in last.of("nav", **{"class": "pager"})[0]["text"]


def test_an_empty_house_teaches_the_first_event() -> None:
    world = World(books=EMPTY, options=WebOptions(public_url="https://watch.example/"))
    shown = page(world, "/queue")
    (copyable,) = shown.of("pre")
    assert copyable["text"].startswith("curl -s https://watch.example/v1/answers ")
    body = re.search(r"-d '(.*)'$", copyable["text"], re.DOTALL)
    assert body is not None
    assert world.post(body[1].encode()).status_code == 200
    assert "0 received" in shown.of("p", **{"class": "books-line"})[0]["text"]


def test_an_empty_queue_is_set_against_the_books() -> None:
    shown = page(World(books=books(12, 12)), "/queue")
    assert shown.of("pre") == []
    (line,) = shown.of("p", **{"class": "books-line"})
    assert "12 received = 12 checked + 0 recorded" in line["text"]
    assert "the books balance" in line["text"]


def test_a_filter_without_a_case_is_not_an_empty_house() -> None:
    shown = page(World(books=EMPTY), "/queue?app=none")
    assert shown.of("pre") == []
    assert "No case matches" in shown.of("section", **{"class": "empty"})[0]["text"]


def test_a_case_says_first_what_is_wrong() -> None:
    shown = case_page()
    (headline,) = shown.of("h1")
    assert (
        headline["text"] == '"54 €" stands in no retrieved text. Nearest: "45 €" in pricing#plans.'
    )
    answer = shown.of("section", **{"class": "answer"})[0]
    assert "Im Pro-Tarif 154 € pro Platz 2[pricing#seats], ab 3 Plätzen." in answer["text"]
    marked = [mark["text"] for mark in shown.of("mark", **{"class": "finding"})]
    assert marked == ["54 €", "[pricing#seats]"] * 2  # as Markdown, and as it was written


def test_a_case_says_what_was_not_evaluated_and_why() -> None:
    told = case(not_evaluated={"quotes": "missing_text", "numbers": "too_large"})
    shown = page(World(cases=MemoryCases(told)), "/cases/c1")
    findings = shown.of("section", **{"class": "findings"})[0]["text"]
    assert "Not evaluated: numbers (too large), quotes (missing text)" in findings
    assert "Not evaluated" not in case_page().of("section", **{"class": "findings"})[0]["text"]


def test_findings_and_their_place_lead_to_each_other() -> None:
    shown = case_page()
    hrefs = {a["attrs"]["href"] for a in shown.of("a") if "href" in a["attrs"]}
    assert {"#finding-1", "#answer-finding-1"} <= hrefs
    ids = [element["attrs"]["id"] for element in shown.found if "id" in element["attrs"]]
    assert len(ids) == len(set(ids))
    assert {href[1:] for href in hrefs if href.startswith("#")} <= set(ids)


def test_the_nearest_thing_to_a_finding_is_marked_in_its_source() -> None:
    start = EVENT["retrieved"][0]["text"].index("45 €")
    near = {"near_ref": "pricing#plans", "near_start": start, "near_end": start + 4}
    shown = case_page(findings=[finding("54 €", ANSWER, **near)])
    [number] = [a for a in shown.of("a") if a["attrs"].get("id") == "source-finding-1"]
    assert number["attrs"]["href"] == "#finding-1"
    assert "45 €" in [mark["text"] for mark in shown.of("mark", **{"class": "finding"})]
    for lie in ({"near_ref": "elsewhere"}, {"near_start": 9_999, "near_end": 10_000}):
        shown = case_page(findings=[finding("54 €", ANSWER, **(near | lie))])
        assert "source-finding-1" not in [a["attrs"].get("id") for a in shown.of("a")]


def test_evidence_is_marked_in_its_source_and_leads_there_and_back() -> None:
    evidence = {
        "check": "numbers", "kind": "grounded", "surface": "54 €", "start": 13, "end": 17,
        "ref": "pricing#plans", "chunk_start": 20, "chunk_end": 24,
    }  # fmt: skip
    shown = case_page(evidence=[evidence], findings=[])
    links = {a["attrs"]["href"]: a["text"] for a in shown.of("a", **{"class": "evidence"})}
    assert links == {"#source-evidence-1": "54 €", "#answer-evidence-1": "45 €"}


@pytest.mark.parametrize(
    "place",
    [
        {"start": -3, "end": 10_000},
        {"start": 5, "end": 2},
        {"start": None, "end": None},
        {"start": "5", "end": 7.5},
        {},
    ],
)
def test_spans_that_lie_break_nothing(place: dict[str, Any]) -> None:
    finding = {"check": "numbers", "reason": "absent", "surface": "54 €", "detail": "", **place}
    evidence = {"kind": "grounded", "ref": "pricing#plans", "chunk_start": 40, "chunk_end": 9_999}
    shown = case_page(findings=[finding, {}], evidence=[{**place, **evidence}, {}])
    assert "Im Pro-Tarif 54 €" in shown.of("section", **{"class": "answer"})[0]["text"].replace(
        "1Im", "Im"
    )


@pytest.mark.parametrize(
    "event",
    [
        {"event_id": "e", "query": "", "answer": "", "retrieved": []},
        {"event_id": "e", "query": "q", "answer": "a", "retrieved": [{"ref": "r", "text": None}]},
        {"event_id": "e", "query": "q", "answer": "a", "retrieved": None, "context": [None, 3]},
        {"event_id": "e", "query": "q", "answer": "a", "retrieved": ["x", {}], "release": 4},
    ],
)
def test_a_reduced_event_is_still_a_page(event: dict[str, Any]) -> None:
    shown = case_page(event=event, reduced=True)
    assert (
        "only parts of the event were kept" in shown.of("details", **{"class": "about"})[0]["text"]
    )


def test_a_long_chunk_shows_where_its_evidence_stands() -> None:
    text = "x" * 30_000 + "45 €" + "y" * 10_000
    evidence = {"kind": "grounded", "surface": "3", "start": 0, "end": 1, "ref": "long",
                "chunk_start": 30_000, "chunk_end": 30_004}  # fmt: skip
    event = EVENT | {"retrieved": [{"ref": "long", "text": text}]}
    shown = case_page(event=event, evidence=[evidence])
    panel = shown.of("details", **{"class": "chunk"})[0]["text"]
    excerpt = panel.split("the whole text (40,004 characters)")[0]
    assert "⋯ 29,500 characters ⋯" in excerpt
    assert "x45 €y" in excerpt
    assert len(excerpt) < 1500
    assert text in panel


@pytest.mark.parametrize(
    ("url", "followed"),
    [
        ("https://wiki.example/a", True),
        ("javascript:alert(1)", False),
        (" javascript:alert(1)", False),
        ("data:text/html,<script>", False),
        ("//elsewhere.example", False),
    ],
)
def test_only_web_addresses_can_be_followed(url: str, followed: bool) -> None:
    event = EVENT | {"retrieved": [{"ref": "r", "text": "t", "url": url}]}
    hrefs = [a["attrs"].get("href") for a in case_page(event=event).of("a")]
    assert (url in hrefs) is followed


def hostile_event() -> dict[str, Any]:
    return {
        "event_id": HOSTILE,
        "query": HOSTILE,
        "answer": HOSTILE,
        "retrieved": [{"ref": HOSTILE, "text": HOSTILE, "title": HOSTILE, "url": HOSTILE}],
        "context": [{"name": HOSTILE, "kind": HOSTILE, "text": HOSTILE}],
        "release": {"id": HOSTILE, HOSTILE: HOSTILE},
    }


def hostile_case() -> Any:
    finding = {
        name: HOSTILE for name in ("check", "reason", "surface", "detail", "severity", "cause")
    } | {"start": 3, "end": 90}
    return case(
        event=hostile_event(),
        findings=[finding],
        evidence=[{"kind": "grounded", "start": 10, "end": 120, "ref": HOSTILE,
                   "chunk_start": 1, "chunk_end": 70}],
        outcomes={HOSTILE: HOSTILE}, not_evaluated={HOSTILE: HOSTILE},
        headline=HOSTILE, app=HOSTILE, release=HOSTILE, language=HOSTILE, reasons=(HOSTILE,),
        ruleset=HOSTILE, stratum=HOSTILE, position=(HOSTILE, 0, 1),
    )  # fmt: skip


@pytest.mark.parametrize("path", ["/queue", "/cases/c1", "/queue?app=%3Cscript%3E%22onx%3D%22"])
def test_hostile_text_makes_no_element_and_no_attribute(path: str) -> None:
    shown = page(World(cases=MemoryCases(hostile_case())), path)
    assert shown.strangers.isdisjoint({"script", "img", "style", "iframe", "textarea"})
    names = {name for element in shown.found for name in element["attrs"]}
    assert not [name for name in names if name.startswith("on")]
    for link in shown.of("a"):
        assert link["attrs"].get("href", "#").startswith(("/", "#"))
    assert [title["text"].endswith("groundwatch") for title in shown.of("title")] == [True]
    if path == "/cases/c1":
        answer = shown.of("section", **{"class": "answer"})[0]["text"].replace("1", "")
        assert HOSTILE.replace("1", "") in answer


def test_texts_that_cannot_be_encoded_are_shown_anyway() -> None:
    nasty = "a\ud800b\x00c\x1b[31md\u202eesrever\u2066" + "w" * 10_000
    event = EVENT | {"query": nasty, "answer": nasty, "retrieved": [{"ref": nasty, "text": nasty}]}
    world = World(cases=MemoryCases(case(event=event, headline=nasty, app=nasty)))
    for path in ("/queue", "/cases/c1"):
        text = world.get(path).text
        assert "a\ufffdb␀c␛[31md\ufffdesrever" in text
        assert "\x00" not in text
    assert showable("a\tb\r\n\x7f\x85é") == "a\tb\r\n␡\ufffdé"


def test_the_books_page_names_what_does_not_balance() -> None:
    shown = page(World(books=books(received=10, checked=9)), "/books")
    assert "do not balance" in shown.of("h1")[0]["text"]
    (broken,) = shown.of("tr", **{"class": "broken"})
    text = " ".join(broken["text"].split())
    assert text == ("records 10 received = 9 checked + 0 recorded + 0 rejected + 0 duplicate ✗ 1")
    assert "The books balance" in page(World(), "/books").of("h1")[0]["text"]


def test_the_books_page_explains_the_terms_of_the_judge() -> None:
    shown = page(World(), "/books")
    explained = {term["text"] for term in shown.of("dt")}
    assert {"eligible", "selected", "tasks"} <= explained
    text = " ".join(shown.of("details", **{"class": "terms"})[0]["text"].split())
    names = {name for side in World().books.equations[-3:] for name in side.right}
    for name in names:
        assert name.replace("_", " ") in text, name


@pytest.mark.parametrize(
    ("path", "status"), [("/cases/none", 404), ("/none", 404), ("/queue?severity=x", 422)]
)
def test_errors_on_the_way_to_a_page_are_pages(path: str, status: int) -> None:
    response = World().get(path)
    assert response.status_code == status
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert Elements(response.text).of("a", href="/queue")


def test_an_outage_is_a_page_too() -> None:
    cases = MemoryCases(case())
    cases.away = True
    response = World(cases=cases).get("/queue")
    assert (response.status_code, response.headers["content-type"][:9]) == (503, "text/html")
    assert int(response.headers["retry-after"]) > 0


def test_the_front_door_is_the_overview() -> None:
    response = World().get("/")
    assert (response.status_code, response.headers["location"]) == (307, "/overview")


@pytest.mark.parametrize(
    ("lang", "said", "formula"),
    [
        ("en", "severity 4.00 + app 1.00 + rarity \N{MINUS SIGN}1.00 + time 20,787.04 = 20,791.04",
         "the highest sum stands first"),
        ("de", "Schwere 4,00 + Anwendung 1,00 + Seltenheit \N{MINUS SIGN}1,00 + Zeit 20.787,04"
         " = 20.791,04", "Die höchste Summe steht vorn"),
    ],
)  # fmt: skip
def test_a_case_shows_why_it_stands_where_it_does(lang: str, said: str, formula: str) -> None:
    terms = priority_terms("high", NOW_MS, weight=2.0, seen=3)
    world = World(cases=MemoryCases(case(priority=terms)))
    text = world.get("/cases/c1", headers={"accept-language": lang}).text
    about = Elements(text).of("details", **{"class": "about"})[0]["text"]
    assert said in about
    assert formula in about


def test_a_case_without_terms_says_nothing_of_them() -> None:
    assert "highest sum" not in World(cases=MemoryCases(case())).get("/cases/c1").text
