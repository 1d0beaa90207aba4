"""How good one ranked list is, against the refs that its question needs.

``retrieved``: refs, the best first. A ref that comes again counts once, at its first place, and
the ones behind it move up, as in trec_eval, which ranks distinct documents. ``relevant``: ref →
grade > 0. ``k`` ≥ 1. Every value lies in [0, 1].
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from math import log2


def retrieval_measures(
    retrieved: Sequence[str], relevant: Mapping[str, float], k: int
) -> dict[str, float]:
    """``hit@k``, ``precision@k``, ``recall@k``, ``mrr@k`` and ``ndcg@k`` by name.

    Raises ValueError where nothing is relevant, as no list is good or bad then, and for k < 1.
    """
    if not relevant:
        raise ValueError("nothing is relevant: there is nothing to find")
    if k < 1:
        raise ValueError("k must be at least 1")
    top = top_k(retrieved, k)
    return {
        f"hit@{k}": hit(top, relevant),
        f"precision@{k}": precision(top, relevant, k),
        f"recall@{k}": recall(top, relevant),
        f"mrr@{k}": reciprocal_rank(top, relevant),
        f"ndcg@{k}": ndcg(top, relevant, k),
    }


def top_k(retrieved: Iterable[str], k: int) -> tuple[str, ...]:
    """The first ``k`` distinct refs."""
    return tuple(islice(dict.fromkeys(retrieved), k))


def hit(top: Sequence[str], relevant: Mapping[str, float]) -> float:
    """1 where any relevant ref is among them (success@k)."""
    return float(any(ref in relevant for ref in top))


def precision(top: Sequence[str], relevant: Mapping[str, float], k: int) -> float:
    """Relevant ones ÷ k, also where fewer came back: a short list is not better for it."""
    return sum(ref in relevant for ref in top) / k


def attainable_precision(relevant: Mapping[str, float], k: int) -> float:
    """min(\\|relevant\\|, k) / k: more no list can have."""
    return min(len(relevant), k) / k


def recall(top: Sequence[str], relevant: Mapping[str, float]) -> float:
    """Relevant ones ÷ all that are relevant."""
    return sum(ref in relevant for ref in top) / len(relevant)


def reciprocal_rank(top: Sequence[str], relevant: Mapping[str, float]) -> float:
    """1 / rank of the first relevant ref, 0 without one; its mean is MRR (E. M. Voorhees, "The
    TREC-8 question answering track report", TREC 1999)."""
    return next((1 / rank for rank, ref in enumerate(top, 1) if ref in relevant), 0.0)


def ndcg(top: Sequence[str], relevant: Mapping[str, float], k: int) -> float:
    """Discounted gain Σ grade / log2(rank + 1), the gain linear in the grade, ÷ that of the best
    possible list (K. Järvelin, J. Kekäläinen, "Cumulated gain-based evaluation of IR techniques",
    ACM TOIS 20 (2002) 422-446, with the discount that trec_eval applies)."""
    ideal = sorted(relevant.values(), reverse=True)[:k]
    return _discounted(relevant.get(ref, 0.0) for ref in top) / _discounted(ideal)


def _discounted(gains: Iterable[float]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, 1))
