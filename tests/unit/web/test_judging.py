"""The judge's part of the pages: each verdict in words, its evidence in place, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from service.budget import Budget, Reserve, Spending, state_of
from service.judging.judgement import (
    Cause,
    Claim,
    Judgement,
    Quote,
    Relevance,
    Status,
    Verdict,
)
from service.metrics import JUDGE_FAILURES
from service.sampling import Factors
from service.web.judging import (
    CAUSES,
    LONGEST,
    MOST_CLAIMS,
    MOST_QUOTES,
    SHAPES,
    TROUBLES,
    judge_line,
    judge_view,
)
from service.web.ports import JudgeState
from service.web.texts import Tongue
from tests.unit.web.judged import (
    PLANS,
    PROOF,
    QUOTE,
    RIGHT,
    WRONG,
    hostile,
    judgement,
    stored,
)
from tests.unit.web.judged import finding as judged_finding
from tests.unit.web.test_pages import HOSTILE, Elements, page
from tests.unit.web.world import ANSWER, EVENT, MemoryCases, World, case

SOURCES = [("pricing#plans", PLANS), ("pricing#faq", "Rechnungen kommen per E-Mail.")]


def view(said: Judgement, answer: str = ANSWER) -> Any:
    found = judge_view(stored(said), answer, SOURCES)
    assert found is not None
    return found


def rows(said: Judgement) -> list[Any]:
    return [row for sentence in view(said).sentences for row in sentence.claims]


def case_page(said: Any, **parts: Any) -> Elements:
    kept = said if isinstance(said, dict) else stored(said, judged_finding())
    parts = {"findings": [judged_finding()]} | parts
    return page(World(cases=MemoryCases(case(judgement=kept, **parts))), "/cases/c1")


def section(shown: Elements) -> str:
    return " ".join(shown.of("section", **{"class": "judge"})[0]["text"].split())


def test_one_line_says_it_all() -> None:
    third = replace(RIGHT, sentence=3, miscited=True)
    quiet = replace(RIGHT, sentence=4, verdict=Verdict.NOT_A_CLAIM)
    assert view(judgement(WRONG, RIGHT, third, quiet)).line == (
        "1 claim contradicted (pricing#plans) · 2 supported · 1 of them miscited"
        " · context sufficient · relevance complete"
    )
    thin = judgement(context_sufficient=False, relevance=Relevance.PARTIAL)
    assert view(thin).line == (
        "no claim to rule on · context insufficient · relevance partial but useful"
    )
    assert view(judgement(RIGHT, RIGHT, relevance=None)).line == (
        "2 claims supported · context sufficient"
    )


@pytest.mark.parametrize("sufficient", [True, False])
def test_faithfulness_never_stands_without_sufficiency(sufficient: bool) -> None:
    notes = view(judgement(WRONG, RIGHT, context_sufficient=sufficient)).notes
    word = "sufficient" if sufficient else "insufficient"
    (note,) = [note for note in notes if "faithfulness" in note]
    assert note == f"faithfulness 0.50 (1 of 2 claims), with {word} context"


def test_notes_tell_what_else_the_judge_saw() -> None:
    said = judgement(
        RIGHT, answer_kind="no_answer", abstention_right=False, partial=True, flipped=True,
        contradicting=(("a", "b"),), instructions_in_data=("query",),
    )  # fmt: skip
    notes = " | ".join(view(said).notes)
    for words in (
        "50% of the chunks were of use: pricing#plans", "kind of answer: no answer",
        "whether to answer was decided wrongly", "a and b contradict each other",
        "a text tries to instruct the judge: query", "sources were left out",
        "judged twice: a verdict differed",
    ):  # fmt: skip
        assert words in notes


def test_every_verdict_and_cause_has_its_words_and_a_shape_of_its_own() -> None:
    assert set(SHAPES) == set(Verdict)
    assert len({shape for shape, _ in SHAPES.values()}) == len(Verdict)
    assert set(CAUSES) == set(Cause)


def test_every_reason_without_a_ruling_has_its_words() -> None:
    assert set(JUDGE_FAILURES) - {"other"} == set(TROUBLES)


@pytest.mark.parametrize(
    ("status", "words"),
    [(Status.UNDETERMINED, "undetermined, it answered, but not usably"),
     (Status.FAILED, "failed, no answer came")],
)  # fmt: skip
def test_without_a_ruling_the_reason_stands_there(status: Status, words: str) -> None:
    said = Judgement(status, "v", "m", reason="invalid_json")
    shown = case_page(stored(said))
    assert words in section(shown)
    assert "the reply was no valid JSON; counted, outside of every rate" in section(shown)
    assert shown.of("table", **{"class": "claims"}) == []


def test_a_claim_says_what_code_made_of_it() -> None:
    down = Claim(1, 0, 5, "x", Verdict.UNSUPPORTED, "r", (Quote("pricing#plans", "never"),),
                 downgraded=True, cause=Cause.RETRIEVAL)  # fmt: skip
    mis = replace(RIGHT, miscited=True)
    first, second = rows(judgement(down, mis))
    assert (first.shape, first.word, first.grade) == ("∅", "unsupported", "bad")
    assert first.notes[0].startswith("the judge called it supported")
    assert first.notes[1].startswith("cause: retrieval")
    assert first.quotes[0].lack == "quote not found in the chunk"
    assert (second.word, second.grade) == ("supported, miscited", "bad")
    assert second.quotes[0].number == 1


def test_a_quote_leads_to_its_place_and_back() -> None:
    shown = case_page(judgement(WRONG, RIGHT))
    [place] = [a for a in shown.of("a") if a["attrs"].get("id") == "source-quote-1"]
    assert place
    (quoted, again) = shown.of("div", **{"class": "quoted"})
    assert quoted["attrs"]["id"] == "quote-1"
    assert "id" not in again["attrs"]
    assert QUOTE in quoted["text"]
    hrefs = {a["attrs"].get("href") for a in shown.of("a")}
    assert "#source-quote-1" in hrefs


def test_the_quote_alone_is_marked_where_no_finding_is() -> None:
    shown = case_page(judgement(RIGHT), findings=[])
    (marked,) = shown.of("a", **{"class": "mark quote"})
    assert (marked["text"], marked["attrs"]["href"]) == (QUOTE, "#quote-1")


def test_a_quote_of_the_context_is_marked_there() -> None:
    event = EVENT | {"context": [{"name": "plan", "kind": "user", "text": "Plan: pro"}]}
    said = judgement(replace(RIGHT, evidence=(Quote("plan", "pro", 6, 9),)))
    shown = case_page(said, event=event, findings=[])
    (marked,) = shown.of("a", **{"class": "mark quote"})
    assert marked["text"] == "pro"


@pytest.mark.parametrize(
    ("quote", "lack"),
    [
        (Quote("pricing#plans", "x"), "quote not found in the chunk"),
        (Quote("", "x"), "the judge named no chunk that exists"),
        (Quote("gone", "x", 0, 1), "stood in the chunk; its text was not kept"),
        (Quote("pricing#plans", "x", 9_000, 9_001), "stood in the chunk; its text was not kept"),
    ],
)
def test_evidence_that_cannot_be_shown_says_why(quote: Quote, lack: str) -> None:
    [row] = rows(judgement(replace(RIGHT, evidence=(quote,))))
    assert (row.quotes[0].number, row.quotes[0].lack) == (None, lack)
    assert lack in section(case_page(judgement(replace(RIGHT, evidence=(quote,)))))


def test_a_claim_leads_to_its_sentence() -> None:
    shown = case_page(judgement(WRONG, RIGHT))
    sentences = {
        span["attrs"]["id"]: span["text"] for span in shown.of("span", **{"class": "sentence"})
    }
    assert sentences["answer-sentence-2"] == ", ab 3 Plätzen."
    assert "Im Pro-Tarif" in sentences["answer-sentence-1"]
    links = [(a["text"], a["attrs"]["href"]) for a in shown.of("a", **{"class": "claim"})]
    assert links == [
        ("Im Pro-Tarif 54 €", "#answer-sentence-1"), ("ab 3 Plätzen", "#answer-sentence-2")
    ]  # fmt: skip
    ids = [element["attrs"]["id"] for element in shown.found if "id" in element["attrs"]]
    assert len(ids) == len(set(ids))
    hrefs = {a["attrs"].get("href", "") for a in shown.of("a")}
    assert {href[1:] for href in hrefs if href.startswith("#")} <= set(ids)


@pytest.mark.parametrize(
    ("start", "end"), [(5, 10), (-5, 3), (0, 10_000), (30, 10), (None, None), ("0", "9"), (True, 3)]
)
def test_sentences_that_lie_or_overlap_break_nothing(start: Any, end: Any) -> None:
    lying = replace(RIGHT, start=start, end=end, sentence=7)
    kept = stored(judgement(WRONG, lying))
    shown = case_page(kept)
    answer = shown.of("section", **{"class": "answer"})[0]["text"]
    assert "Im Pro-Tarif 54 € pro Platz [pricing#seats], ab 3 Plätzen." in answer.replace(
        "1Im", "Im"
    )
    ids = [element["attrs"]["id"] for element in shown.found if "id" in element["attrs"]]
    assert len(ids) == len(set(ids))


def test_a_judgement_of_another_release_is_named_not_shown() -> None:
    kept = stored(judgement(WRONG), judged_finding()) | {"scripted": True}
    for broken in (
        {**kept, "assessment": {"claims": 3}},
        {**kept, "status": "pondering"},
        {**kept, "new": 1},
        {"scripted": True},
    ):
        text = section(case_page(broken))
        assert "cannot read" in text
        assert "scripted: no model ruled" in text
    assert judge_view(None, "", []) is None


def test_long_judgements_are_cut() -> None:
    claims = [replace(RIGHT, sentence=n, text="w" * 5_000, reason="r" * 5_000,
                      evidence=(PROOF,) * 9) for n in range(150)]  # fmt: skip
    shown = view(judgement(*claims))
    assert len(shown.sentences) == MOST_CLAIMS
    assert shown.left_out == 50
    row = shown.sentences[0].claims[0]
    assert len(row.text) == len(row.reason) == LONGEST
    assert len(row.quotes) == MOST_QUOTES
    assert "5 more quotes in the JSON" in row.notes
    assert "50 more claims stand in the JSON" in section(case_page(judgement(*claims)))


def test_a_case_that_the_judge_opened_has_no_outcome_of_a_check_and_is_whole() -> None:
    shown = case_page(
        judgement(WRONG), outcomes={}, evidence=[], checks=("judge",), reasons=("contradicted",),
        headline=judged_finding()["detail"],
    )  # fmt: skip
    about = shown.of("details", **{"class": "about"})[0]["text"]
    assert "none flagged this answer; the judge opened the case" in about
    for words in ("judge-model", "1,900 in, 100 out", "0.003100", "2 in 1.5 s", "0.2", "flagged"):
        assert words in about
    assert "widerspricht pricing#plans" in shown.of("h1")[0]["text"]


def labels(shown: Elements) -> list[dict[str, Any]]:
    return shown.of("span", **{"class": "scripted"})


def test_what_a_script_said_says_so_wherever_it_shows() -> None:
    scripted = stored(judgement(WRONG, scripted=True), judged_finding())
    shown = case_page(scripted, scripted=True, headline=judged_finding()["detail"])
    assert {label["text"] for label in labels(shown)} == {"scripted: no model ruled"}
    # Beside the headline, the finding and the line.
    assert len(labels(shown)) == 3
    assert "scripted: no model ruled" in shown.of("details", **{"class": "about"})[0]["text"]
    # A check's headline is no script's.
    assert len(labels(case_page(scripted, scripted=True))) == 2
    queue = page(World(cases=MemoryCases(case(scripted=True), case("c2"))), "/queue")
    assert [row["text"].count("scripted: no model ruled") for row in
            queue.of("a", **{"class": "row"})] == [1, 0]  # fmt: skip
    assert labels(case_page(judgement(WRONG))) == []


def hostile_judgement() -> dict[str, Any]:
    said = judgement(WRONG, RIGHT, contradicting=(("a", "b"),), instructions_in_data=("x",))
    kept = hostile(HOSTILE, said)
    kept["assessment"]["claims"][1]["evidence"][0]["quote"] = "q\x1b[31m\u202e\ud800"
    return kept


@pytest.mark.parametrize("status", [None, "failed"])
def test_hostile_words_of_a_judge_stay_words(status: str | None) -> None:
    kept = hostile_judgement()
    if status:
        kept |= {"status": status, "assessment": None}
    shown = case_page(kept, findings=[judged_finding(detail=HOSTILE, surface=HOSTILE)])
    assert shown.strangers.isdisjoint({"script", "img", "style", "iframe", "textarea"})
    assert not [n for element in shown.found for n in element["attrs"] if n.startswith("on")]
    for link in shown.of("a"):
        assert link["attrs"].get("href", "#").startswith(("/", "#"))
    about = shown.of("details", **{"class": "about"})[0]["text"]
    assert "<script>document.title='owned'" in about
    if status is None:
        assert HOSTILE in shown.of("a", **{"class": "claim"})[0]["text"]
        assert "q␛[31m\ufffd\ufffd" in section(shown)


def budget(**parts: Any) -> Any:
    factors = Factors(version=1, judge={"a": 0.4, "b": 0.4}, **parts)
    spending = Spending(tokens=2_000, money_micros=800_000)
    return state_of(Budget(40_000, 2_000_000), spending, Reserve(), factors)


def test_the_state_of_the_judge_in_one_line() -> None:
    assert judge_line(JudgeState(), Tongue()) == "off, set GROUNDWATCH_JUDGE_BASE_URL"
    assert judge_line(JudgeState("m-1", False, 12, budget()), Tongue()) == (
        "asks m-1 · 12 wait · factor 0.4 · budget left today: 38,000 tokens and 1.20 in money"
    )
    spent = judge_line(JudgeState("m-1", True, 0, budget(exhausted=True)), Tongue())
    assert spent.startswith("scripted: no model ruled · asks m-1 · 0 wait · ")
    assert spent.endswith("budget used up: only audits are judged")
    free = state_of(Budget(), Spending(), Reserve(), Factors(judge={"a": 0.25, "b": 1.0}))
    assert judge_line(JudgeState("m", budget=free), Tongue()) == (
        "asks m · 0 wait · factor 0.25 to 1 · no budget set for a day"
    )


@pytest.mark.parametrize("path", ["/queue", "/books"])
def test_queue_and_books_say_how_the_judge_is(path: str) -> None:
    def line(world: World) -> str:
        return page(world, path).of("p", **{"class": "judge-line"})[0]["text"]

    assert line(World()) == "Judge: off, set GROUNDWATCH_JUDGE_BASE_URL"
    assert line(World(judge=JudgeState("m-1", waiting=3))) == "Judge: asks m-1 · 3 wait"
