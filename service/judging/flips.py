"""Whether a judge that ruled twice on one answer changed its mind. Pure."""

from __future__ import annotations

from service.judging.judgement import Assessment


def flipped(first: Assessment, second: Assessment) -> bool:
    """Another sentence holds a bad claim, or abstaining counts otherwise.

    Which of the bad verdicts a claim has, and how a sentence is split into claims, changes from one
    time to the next without anybody acting differently.
    """
    return (
        _bad_sentences(first) != _bad_sentences(second)
        or first.abstention_right != second.abstention_right
    )


def _bad_sentences(assessment: Assessment) -> set[int]:
    return {claim.sentence for claim in assessment.claims if claim.bad}
