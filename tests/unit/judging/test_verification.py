"""A judge's word counts as far as its quotes carry it, and no sentence leaves the denominator."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.judging.judgement import Assessment, Cause, Citing, Relevance, Verdict
from service.judging.material import Material, material_of
from service.judging.verification import (
    MAX_CLAIMS,
    MAX_EVIDENCE,
    MOST_CITINGS,
    MOST_CLAIMS,
    PASSED_OVER,
    SOURCES_LEFT_OUT,
    SchemaFault,
    assess,
    faithfulness,
    merged,
    passed_over,
    read_relevance,
    read_ruling,
)
from tests.unit.judging.made import CHUNKS, PLANS, TERMS, claim, job, reply

ANSWER = "A seat costs 45 € [pricing#plans]. Refunds take two days. Thank you!"
SEAT, REFUND, LATE = (1, "45 € a seat"), (2, "paid within ten working days"), (2, "two days")


def material(answer: str = ANSWER, **more: Any) -> Material:
    return material_of(job(answer, **more))


def assessed(
    sentences: dict[int, list[dict[str, Any]]],
    about: Material | None = None,
    holds: Callable[[str], str | None] | None = None,
    **more: Any,
) -> Assessment:
    about = about or material()
    return assess(read_ruling(reply(sentences, **more), about), about, holds)


def one(*claims: dict[str, Any], **more: Any) -> Any:
    """The claim that comes of these claims of a single sentence."""
    found = assessed({1: list(claims)}, material("A seat costs 45 €."), **more).claims
    assert len(found) == 1
    return found[0]


# ── verdict and evidence ──────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("said", "quotes", "verdict", "downgraded"),
    [
        ("SUPPORTED", [SEAT], Verdict.SUPPORTED, False),
        ("SUPPORTED", [LATE, SEAT], Verdict.SUPPORTED, False),
        ("SUPPORTED", [], Verdict.UNSUPPORTED, True),
        ("SUPPORTED", [LATE], Verdict.UNSUPPORTED, True),
        ("SUPPORTED", [(2, SEAT[1])], Verdict.UNSUPPORTED, True),  # it stands in another one
        ("SUPPORTED", [(3, SEAT[1])], Verdict.UNSUPPORTED, True),
        ("CONTRADICTED", [REFUND], Verdict.CONTRADICTED, False),
        ("CONTRADICTED", [], Verdict.UNSUPPORTED, False),
        ("CONTRADICTED", [LATE], Verdict.UNSUPPORTED, False),
        ("UNSUPPORTED", [], Verdict.UNSUPPORTED, False),
        ("UNSUPPORTED", [SEAT], Verdict.UNSUPPORTED, False),
        ("NOT_A_CLAIM", [], Verdict.NOT_A_CLAIM, False),
        ("NOT_A_CLAIM", [LATE], Verdict.NOT_A_CLAIM, False),
    ],
)
def test_a_verdict_is_worth_its_evidence(
    said: str, quotes: list[tuple[int, str]], verdict: Verdict, downgraded: bool
) -> None:
    found = one(claim(said, *quotes))
    assert (found.verdict, found.downgraded) == (verdict, downgraded)


def test_evidence_names_its_place_in_the_raw_text() -> None:
    raw = "Pro: **45\u00a0€** a s\u00adeat."
    about = material("A seat costs 45 €.", chunks={"pricing#plans": raw})
    [found] = assessed({1: [claim("SUPPORTED", (1, "45 € a seat"), LATE)]}, about).claims
    valid, void = found.evidence
    assert valid.ref == "pricing#plans"
    assert raw[valid.start : valid.end] == "45\u00a0€** a s\u00adeat"
    assert (void.ref, void.quote, void.valid) == ("", "two days", False)


def test_a_claim_stands_at_its_sentence() -> None:
    found = assessed({2: [claim("UNSUPPORTED", text="Refunds take two days.")]})
    [ruled] = [each for each in found.claims if each.sentence == 2]
    assert ANSWER[ruled.start : ruled.end] == "Refunds take two days."
    assert (ruled.text, ruled.reason) == ("Refunds take two days.", "So.")


# ── coverage ──────────────────────────────────────────────────────────────────────────────────


def test_a_sentence_without_a_claim_is_missing_once() -> None:
    found = assessed({1: [claim("SUPPORTED", SEAT)], 2: [], 3: [claim(text="  ")]})
    assert [(each.sentence, each.verdict) for each in found.claims] == [
        (1, Verdict.SUPPORTED), (2, Verdict.MISSING), (3, Verdict.MISSING),
    ]  # fmt: skip
    assert found.claims[1].reason == PASSED_OVER
    assert found.claims[1].text == "Refunds take two days."
    assert found.faithfulness == pytest.approx(1 / 3)


def test_a_repair_fills_what_was_missing_and_nothing_else() -> None:
    about = material()
    first = read_ruling(reply({1: [claim("UNSUPPORTED")]}), about)
    assert passed_over(first, about) == (2, 3)
    second = read_ruling(
        reply(
            {1: [claim("SUPPORTED", SEAT)], 2: [claim("CONTRADICTED", REFUND)]},
            context_sufficient=False,
            useful_passages=[1, 2],
            answer_kind="deny",
            instructions_in_data=[{"where": "answer", "passage": 0}],
        ),
        about,
    )
    both = merged(first, second, about)
    assert passed_over(both, about) == (3,)
    found = assess(both, about, None)
    assert [each.verdict for each in found.claims] == [
        Verdict.UNSUPPORTED, Verdict.CONTRADICTED, Verdict.MISSING,
    ]  # fmt: skip
    assert (found.context_sufficient, found.answer_kind) == (True, "answer")
    assert found.instructions_in_data == ("answer",)


def test_to_say_a_claim_twice_changes_no_share() -> None:
    twice = [claim("SUPPORTED", SEAT, text="It costs 45 €"), claim("UNSUPPORTED", text="Mail too")]
    again = [claim("SUPPORTED", SEAT, text="it costs  45 €.") for _ in range(40)]
    assert assessed({1: [*twice, *again]}).claims[:2] == assessed({1: twice}).claims[:2]
    assert assessed({1: [*twice, *again]}).faithfulness == assessed({1: twice}).faithfulness


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_of_two_verdicts_on_one_claim_the_graver_counts(order: tuple[int, int]) -> None:
    said = [claim("SUPPORTED", SEAT), claim("CONTRADICTED", REFUND)]
    assert one(*(said[at] for at in order)).verdict is Verdict.CONTRADICTED


def test_a_sentence_named_twice_has_all_its_claims() -> None:
    about = material("A seat costs 45 €.")
    data = reply({1: [claim("SUPPORTED", SEAT, text="a")]})
    data["sentences"] += [{"sentence": 1, "claims": [claim("UNSUPPORTED", text="b")]}] * 2
    found = assess(read_ruling(data, about), about, None)
    assert [each.text for each in found.claims] == ["a", "b"]


def test_claims_that_are_said_twice_share_their_evidence() -> None:
    found = one(claim("SUPPORTED", LATE), claim("SUPPORTED", SEAT))
    assert [quote.valid for quote in found.evidence] == [False, True]
    assert found.verdict is Verdict.SUPPORTED


def test_a_claim_said_very_often_has_no_more_evidence_than_one() -> None:
    found = one(*[claim("SUPPORTED", SEAT)] * 3 * MAX_EVIDENCE, claim("SUPPORTED", LATE))
    assert len(found.evidence) <= MAX_EVIDENCE
    ruling = read_ruling(reply({1: [claim("SUPPORTED", SEAT)] * 3 * MAX_EVIDENCE}), material())
    assert [len(each.evidence) for each in ruling.claims[1]] == [MAX_EVIDENCE]


def test_a_ruling_holds_sentences_that_exist_and_have_claims() -> None:
    about = material()
    ruling = read_ruling(reply({0: [claim()], 2: [claim()], 3: [], 4: [claim()]}), about)
    assert list(ruling.claims) == [2]
    assert passed_over(ruling, about) == (1, 3)


def test_what_does_not_exist_is_left_out() -> None:
    found = assessed(
        {0: [claim()], -1: [claim()], 4: [claim()], 1: [claim("NOT_A_CLAIM")]},
        useful_passages=[0, 3, -1],
        contradicting_passages=[
            {"first": {"passage": 0, "quote": "x"}, "second": {"passage": 1, "quote": "45 €"}}
        ],
        instructions_in_data=[{"where": "passage", "passage": 9}],
    )
    assert [each.sentence for each in found.claims] == [1, 2, 3]
    assert (found.useful, found.contradicting, found.instructions_in_data) == ((), (), ())


VERDICTS = st.sampled_from(["SUPPORTED", "UNSUPPORTED", "CONTRADICTED", "NOT_A_CLAIM"])
QUOTES = st.lists(
    st.tuples(st.integers(-1, 4), st.sampled_from([SEAT[1], REFUND[1], "54 €", "no such words"])),
    max_size=3,
)
CLAIMS = st.lists(
    st.builds(
        lambda verdict, quotes, text: claim(verdict, *quotes, text=text),
        VERDICTS,
        QUOTES,
        st.sampled_from(["a", "b", "c"]),
    ),
    max_size=4,
)
RULINGS = st.dictionaries(st.integers(-1, 5), CLAIMS, max_size=6)


@given(RULINGS)
def test_faithfulness_is_a_share_and_every_sentence_is_in_it(said: dict[int, Any]) -> None:
    found = assessed(said)
    assert {each.sentence for each in found.claims} == {1, 2, 3}
    if found.faithfulness is None:
        assert {each.verdict for each in found.claims} == {Verdict.NOT_A_CLAIM}
    else:
        assert 0 <= found.faithfulness <= 1
    for each in found.claims:
        if each.verdict in (Verdict.SUPPORTED, Verdict.CONTRADICTED):
            valid = [quote for quote in each.evidence if quote.valid]
            assert valid
            for quote in valid:
                assert CHUNKS[quote.ref][quote.start : quote.end] == quote.quote


@given(RULINGS, st.integers(1, 3))
def test_to_leave_a_sentence_out_is_one_bad_claim(said: dict[int, Any], left: int) -> None:
    """So it never helps an answer, but in the place of several bad claims."""
    fewer = assessed({number: claims for number, claims in said.items() if number != left})
    assert fewer.faithfulness == assessed({**said, left: [claim("UNSUPPORTED")]}).faithfulness
    whole = assessed(said)
    good = (Verdict.SUPPORTED, Verdict.NOT_A_CLAIM)
    bad = [one for one in whole.claims if one.sentence == left and one.verdict not in good]
    if len(bad) <= 1 and whole.faithfulness is not None:
        assert fewer.faithfulness is not None
        assert fewer.faithfulness <= whole.faithfulness


@given(RULINGS, RULINGS)
def test_a_repair_never_changes_what_was_covered(one: dict[int, Any], two: dict[int, Any]) -> None:
    about = material()
    first, second = read_ruling(reply(one), about), read_ruling(reply(two), about)
    both = merged(first, second, about)
    assert {number: both.claims[number] for number in first.claims} == first.claims
    covered = set(first.claims) | set(second.claims)
    assert passed_over(both, about) == tuple(
        number for number in (1, 2, 3) if number not in covered
    )
    before, after = assess(first, about, None), assess(both, about, None)
    kept = [each for each in after.claims if each.sentence in first.claims]
    assert kept == [each for each in before.claims if each.sentence in first.claims]


# ── citations ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("answer", "quotes", "miscited"),
    [
        ("It is 45 € [pricing#plans].", [SEAT], False),
        ("It is 45 € [terms#refunds].", [SEAT], True),
        ("It is 45 € [terms#refunds].", [SEAT, REFUND], False),
        ("It is 45 € [terms#refunds][pricing#plans].", [SEAT], False),
        ("It is 45 €.", [SEAT], False),
        ("It is 45 € [no-such-chunk].", [SEAT], False),
    ],
)
def test_the_cited_chunk_must_support_it(
    answer: str, quotes: list[tuple[int, str]], miscited: bool
) -> None:
    found = assessed({1: [claim("SUPPORTED", *quotes)]}, material(answer))
    [ruled] = found.claims
    assert ruled.verdict is Verdict.SUPPORTED
    assert ruled.miscited is miscited
    assert ruled.bad is miscited
    assert ruled.cause is (Cause.GENERATION if miscited else None)
    assert found.faithfulness == 1  # it is grounded, in another chunk


def test_a_cited_chunk_that_says_the_same_is_no_miscitation() -> None:
    """The judge quotes one of two chunks that overlap; the answer cites the other."""
    chunks = {"a": "A seat costs 45 €.", "b": "Prices. A seat costs 45 €."}
    about = material("It is 45 € [b].", chunks=chunks)
    found = assessed({1: [claim("SUPPORTED", (1, "seat costs 45 €"))]}, about)
    assert not found.claims[0].miscited
    assert found.citings == (Citing("b", 1, supports=True),)


def test_what_the_model_was_told_besides_needs_no_citation() -> None:
    context = [{"name": "plan", "kind": "user", "text": "The customer is on plan Pro."}]
    about = material("You are on Pro [pricing#plans].", context=context)
    found = assessed({1: [claim("SUPPORTED", (3, "on plan Pro"))]}, about)
    assert found.claims[0].verdict is Verdict.SUPPORTED
    assert not found.claims[0].miscited


def test_a_cited_chunk_that_nobody_saw_may_have_supported_it() -> None:
    chunks = [*CHUNKS.items(), ("gone", None)]
    about = material("It is 45 € [terms#refunds][gone].", chunks=chunks)
    assert not assessed({1: [claim("SUPPORTED", SEAT)]}, about).claims[0].miscited


def test_earlier_answers_are_no_evidence() -> None:
    context = [{"name": "turn", "kind": "assistant", "text": "A seat costs 39 €."}]
    about = material("It is 39 €.", context=context)
    found = assessed({1: [claim("SUPPORTED", (3, "A seat costs 39 €"))]}, about)
    assert found.claims[0].downgraded


def test_every_citation_of_a_judged_sentence_is_counted_once() -> None:
    answer = (
        "It is 45 € [pricing#plans][terms#refunds]. Bye [terms#refunds]. "
        "Late [terms#refunds]. Gone [pricing#plans]."
    )
    found = assessed(
        {
            1: [claim("SUPPORTED", SEAT), claim("UNSUPPORTED", text="b")],
            2: [claim("NOT_A_CLAIM")],
            3: [claim("CONTRADICTED", REFUND)],
        },
        material(answer),
    )
    assert found.citings == (
        Citing("pricing#plans", 1, supports=True),
        Citing("terms#refunds", 1, supports=False),
        Citing("terms#refunds", 3, supports=False),
    )


def test_a_ref_in_two_pieces_is_one_citation() -> None:
    about = material("It is 45 € [a].", chunks=[("a", PLANS), ("a", TERMS)])
    found = assessed({1: [claim("SUPPORTED", SEAT)]}, about)
    assert found.citings == (Citing("a", 1, supports=True),)


# ── cause ─────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("said", "sufficient", "holds", "cause"),
    [
        (claim("CONTRADICTED", REFUND), False, lambda _: "other", Cause.GENERATION),
        (claim("UNSUPPORTED"), True, lambda _: "other", Cause.GENERATION),
        (claim("SUPPORTED"), True, None, Cause.GENERATION),
        (claim("UNSUPPORTED"), False, None, Cause.UNKNOWN),
        (claim("UNSUPPORTED"), False, lambda _: "other", Cause.RETRIEVAL),
        (claim("UNSUPPORTED"), False, lambda _: None, Cause.NOT_IN_CORPUS),
        (claim("UNSUPPORTED"), False, lambda _: "pricing#plans", Cause.UNKNOWN),
        (claim("SUPPORTED", SEAT), False, lambda _: "other", None),
        (claim("NOT_A_CLAIM"), False, lambda _: "other", None),
    ],
)
def test_the_cause_of_a_bad_claim(
    said: dict[str, Any], sufficient: bool, holds: Any, cause: Cause | None
) -> None:
    assert one(said, holds=holds, context_sufficient=sufficient).cause is cause


def test_the_corpus_is_asked_for_the_claim() -> None:
    asked: list[str] = []
    one(
        claim("UNSUPPORTED", text="Refunds are free."),
        holds=asked.append,
        context_sufficient=False,
    )
    assert asked == ["Refunds are free."]


# ── the answer as a whole ─────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("kind", "sufficient", "said", "right"),
    [
        ("answer", True, "right", None),
        ("answer", False, "wrong", None),
        ("no_answer", True, "right", False),
        ("no_answer", False, "wrong", True),
        ("clarify", True, "not_an_abstention", False),
        ("clarify", False, "right", True),
        ("deny", True, "wrong", None),
        ("deny", False, "wrong", None),
        ("deny", True, "right", True),
    ],
)
def test_abstaining_is_right_where_the_context_was_not_sufficient(
    kind: str, sufficient: bool, said: str, right: bool | None
) -> None:
    found = assessed({}, context_sufficient=sufficient, answer_kind=kind, abstention_right=said)
    assert (found.answer_kind, found.abstention_right) == (kind, right)


def test_useful_chunks_and_their_share() -> None:
    context = [{"name": "plan", "kind": "user", "text": "The customer is on plan Pro."}]
    about = material(ANSWER, chunks={**CHUNKS, "c": "Else.", "d": "More."}, context=context)
    found = assessed({}, about, useful_passages=[4, 4, 5])
    assert (found.useful, found.context_precision) == (("d",), 0.25)
    # what a supported claim rests on was of use, whatever the judge says
    found = assessed({1: [claim("SUPPORTED", SEAT)]}, about, useful_passages=[4])
    assert (found.useful, found.context_precision) == (("pricing#plans", "d"), 0.5)
    assert assessed({}, material(ANSWER, chunks={})).context_precision is None


def test_passages_contradict_each_other_by_quotes_that_stand_there() -> None:
    def clash(first: tuple[int, str], second: tuple[int, str]) -> dict[str, Any]:
        return {
            "first": {"passage": first[0], "quote": first[1]},
            "second": {"passage": second[0], "quote": second[1]},
        }

    pairs = [
        clash(REFUND, SEAT), clash(SEAT, REFUND),
        clash(SEAT, LATE), clash(SEAT, SEAT), clash(SEAT, (9, "45 €")),
    ]  # fmt: skip
    found = assessed({}, contradicting_passages=pairs)
    assert found.contradicting == (("pricing#plans", "terms#refunds"),)
    assert assessed({}, contradicting_passages=pairs[2:]).contradicting == ()


def test_a_claim_that_a_disputed_source_contradicts_is_the_sources_fault() -> None:
    clash = {
        "first": {"passage": SEAT[0], "quote": SEAT[1]},
        "second": {"passage": REFUND[0], "quote": REFUND[1]},
    }
    said = {1: [claim("CONTRADICTED", SEAT)]}
    assert assessed(said, contradicting_passages=[clash]).claims[0].cause is Cause.SOURCE_WRONG
    assert assessed(said).claims[0].cause is Cause.GENERATION
    # A clash that no quote carries is none.
    unseen = {**clash, "second": {"passage": 2, "quote": "no such words"}}
    assert assessed(said, contradicting_passages=[unseen]).claims[0].cause is Cause.GENERATION


def test_what_instructs_is_named_by_its_place() -> None:
    context = [{"name": "plan", "kind": "user", "text": "Pro."}]
    about = material(ANSWER, context=context)
    said = [
        {"where": "question", "passage": 0}, {"where": "answer", "passage": 0},
        {"where": "said_before", "passage": 0}, {"where": "passage", "passage": 2},
        {"where": "passage", "passage": 3}, {"where": "answer", "passage": 1},
    ]  # fmt: skip
    found = assessed({}, about, instructions_in_data=said)
    assert found.instructions_in_data == ("query", "answer", "context", "terms#refunds")


# ── partial material ──────────────────────────────────────────────────────────────────────────


def test_where_sources_were_left_out_nobody_says_unsupported() -> None:
    partial = material_of(job("A. B is so. C is so. D is so."), 150)
    assert partial.partial
    assert [passage.ref for passage in partial.passages] == ["pricing#plans"]
    found = assessed(
        {
            1: [claim("UNSUPPORTED")],
            2: [claim("SUPPORTED", SEAT)],
            3: [claim("SUPPORTED", LATE)],
        },
        partial,
        holds=lambda _: None,
        context_sufficient=False,
        answer_kind="no_answer",
    )
    assert [each.verdict for each in found.claims] == [
        Verdict.MISSING, Verdict.SUPPORTED, Verdict.MISSING,
    ]  # fmt: skip
    assert found.claims[0].reason == found.claims[2].reason == SOURCES_LEFT_OUT
    assert {each.cause for each in found.claims} == {None}
    assert found.faithfulness == pytest.approx(1 / 3)  # a lower bound
    assert found.partial
    assert found.context_precision is None
    assert found.abstention_right is None


def test_part_of_the_sources_can_contradict() -> None:
    partial = material("It is 39 €.", chunks={**CHUNKS, "gone": None})
    [found] = assessed({1: [claim("CONTRADICTED", SEAT)]}, partial).claims
    assert (found.verdict, found.cause) == (Verdict.CONTRADICTED, Cause.GENERATION)


# ── form ──────────────────────────────────────────────────────────────────────────────────────


def paths(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every part of ``value``."""
    if isinstance(value, dict):
        parts = list(value.items())
    else:
        parts = list(enumerate(value)) if isinstance(value, list) else []
    found = [(*at, name) for name, _ in parts]
    return found + [path for name, part in parts for path in paths(part, (*at, name))]


WHOLE = reply(
    {1: [claim("SUPPORTED", SEAT)]},
    useful_passages=[1],
    contradicting_passages=[
        {"first": {"passage": 1, "quote": "x"}, "second": {"passage": 2, "quote": "y"}}
    ],
    instructions_in_data=[{"where": "answer", "passage": 0}],
)
SECRET_WORDS = "hostile words of the reply"


WRONG: list[Any] = [None, 1.5, [[SECRET_WORDS]], {SECRET_WORDS: 1}]
FREE_WORDS = ("claim", "reason", "quote")


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        (path, wrong)
        for path in paths(WHOLE)
        for wrong in (WRONG if path[-1] in FREE_WORDS else [*WRONG, SECRET_WORDS])
    ],
    ids=str,
)
def test_a_wrong_type_anywhere_is_a_fault_without_words(path: tuple[Any, ...], wrong: Any) -> None:
    data = copy.deepcopy(WHOLE)
    parent = data
    for step in path[:-1]:
        parent = parent[step]
    parent[path[-1]] = wrong
    with pytest.raises(SchemaFault) as caught:
        read_ruling(data, material())
    assert SECRET_WORDS not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("path", [path for path in paths(WHOLE) if isinstance(path[-1], str)])
def test_a_field_that_is_missing_is_a_fault(path: tuple[Any, ...]) -> None:
    data = copy.deepcopy(WHOLE)
    parent = data
    for step in path[:-1]:
        parent = parent[step]
    del parent[path[-1]]
    with pytest.raises(SchemaFault, match=f"^{path[-1]} is missing$"):
        read_ruling(data, material())


def test_true_is_no_number() -> None:
    with pytest.raises(SchemaFault):
        read_ruling(reply({}, useful_passages=[True]), material())


def test_more_fields_and_another_spelling_do_no_harm() -> None:
    data = reply({1: [claim("not a claim")]}, answer_kind="No-Answer", comment="!")
    ruling = read_ruling(data, material())
    assert ruling.claims[1][0].verdict is Verdict.NOT_A_CLAIM
    assert ruling.answer_kind == "no_answer"


def test_no_sentence_says_so_much() -> None:
    many = [claim(text=f"claim {number}") for number in range(MAX_CLAIMS + 1)]
    assert read_ruling(reply({1: many[:-1]}), material()).claims
    with pytest.raises(SchemaFault):
        read_ruling(reply({1: many}), material())


def test_no_answer_says_so_much() -> None:
    answer = material(
        "\n".join(f"- Seat {number}." for number in range(MOST_CLAIMS // MAX_CLAIMS + 1))
    )
    many = [claim(text=f"claim {number}") for number in range(MAX_CLAIMS)]
    ruled = {sentence.number: many for sentence in answer.sentences[:-1]}
    assert read_ruling(reply(ruled), answer).claims
    with pytest.raises(SchemaFault):
        read_ruling(reply({**ruled, len(answer.sentences): [claim()]}), answer)


def test_of_very_many_citations_the_first_ones_are_looked_at() -> None:
    chunks = {f"c{number}": PLANS for number in range(100)}
    cited = " ".join(f"[{ref}]" for ref in chunks)
    answer = material("\n\n".join([f"An extra seat is 54 € {cited}."] * 30), chunks=chunks)
    ruled = {sentence.number: [claim("UNSUPPORTED")] for sentence in answer.sentences}
    assert len(assessed(ruled, answer).citings) == MOST_CITINGS


@pytest.mark.parametrize("word", Relevance)
def test_relevance_is_one_of_four_words(word: Relevance) -> None:
    assert read_relevance({"reason": "So.", "relevance": word.value}) is word
    assert read_relevance({"relevance": word.value.replace("_", " ").title()}) is word


@pytest.mark.parametrize(
    "data", [{}, {"relevance": "great"}, {"relevance": 1}, {"relevance": None}]
)
def test_no_other_word_is_a_relevance(data: dict[str, Any]) -> None:
    with pytest.raises(SchemaFault):
        read_relevance(data)


def test_no_claim_no_faithfulness() -> None:
    assert faithfulness(()) is None
    assert one(claim("NOT_A_CLAIM")).verdict is Verdict.NOT_A_CLAIM
    assert assessed({1: [claim("NOT_A_CLAIM")]}, material("Hello.")).faithfulness is None
