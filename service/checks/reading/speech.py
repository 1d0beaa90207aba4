"""What each sentence of an answer does: assert, refuse, deny, ask back, chat.

The phrases are data, in :mod:`service.checks.reading.speech_phrases`. A text without any of their
triggers, the usual answer, costs one search for each trigger and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from service.checks.reading import sentences
from service.checks.reading.content_words import gather
from service.checks.reading.folding import fold, folded, lower
from service.checks.reading.pieces import Pieces, split
from service.checks.reading.sentences import CODE, HEADING, Sentence
from service.checks.reading.speech_phrases import (
    ASSERTS,
    CONCESSION,
    CONTRAST,
    INNER_CONTRAST,
    NEGATIONS,
    PHRASES,
    Act,
    Phrase,
)

LONGEST: Final = 600
"""Characters of a sentence past which its beginning and its end alone are read for phrases."""
_REMEMBERED = 16
_FEWEST_WORDS: Final = 2
_FEWEST_IN_CLAUSE: Final = 3
_CITATION = re.compile(r"\[[^\[\]\n]{0,80}\](?:\([^\s()]{0,500}\))?|【[^】\n]{0,80}】")
_QUESTION_OR_COLON: Final = "?？:：)\"'“”»*_`]】"
_SURELY_SAYS: Final = 60
"""Characters from which a sentence says enough to be checked."""
_EMPHASIS = str.maketrans("", "", "*_`")
_DIGIT = re.compile(r"[0-9]")
_DIGIT_FIRST = re.compile(r"[^0-9\[【]*+[0-9]")
"""A digit before any citation."""
_ORDER = (Act.DENIES, Act.NO_ANSWER, Act.CHATS, Act.ASKS)
"""Which act wins where the phrases of two stand in one sentence."""


Spoken = tuple[Sentence, Act]


@lru_cache(_REMEMBERED)
def read(text: str, own: tuple[Phrase, ...] = ()) -> tuple[Spoken, ...]:
    """Every sentence with its act. ``own``: phrases of the app, beside the built-in ones."""
    plain = folded(text)[0]
    lowered = lower(plain)
    active = _active(split(plain)[1], lowered, own)
    return tuple([(one, _act(lowered, one, active)) for one in sentences.read(text)])


@lru_cache(64)
def own_phrases(act: Act, words: tuple[str, ...]) -> tuple[Phrase, ...]:
    """An app's own words as phrases; blank ones are left out."""
    plain = [lower(fold(word)).translate(_EMPHASIS).strip() for word in words]
    return tuple(Phrase("", act, (word,), re.compile(re.escape(word))) for word in plain if word)


class _Active:
    """The phrases that a text calls for, each with those of its triggers that the text holds, and
    the negations in it."""

    def __init__(
        self, phrases: list[tuple[tuple[str, ...], Phrase]], negations: tuple[str, ...]
    ) -> None:
        self.phrases = phrases
        self.negations = negations


def _active(pieces: list[str], lowered: str, own: tuple[Phrase, ...]) -> _Active:
    plain = lowered.translate(_EMPHASIS) if _is_emphasized(lowered) else lowered
    found = _held(_CALLING, pieces, plain)
    negations = found & _NEGATIONS
    if negations:
        found |= _held(_REFUSING, pieces, plain)
    phrases = _called(found) if found else []
    phrases += [(phrase.triggers, phrase) for phrase in own if phrase.triggers[0] in plain]
    return _Active(phrases, tuple(negations))


def _held(sought: Pieces[list[str]], pieces: list[str], plain: str) -> set[str]:
    """The triggers or negations of which a text holds the beginning and the whole."""
    begun = {word for words in sought.told(pieces) for word in words}
    return {word for word in begun if word in plain}


def _called(found: set[str]) -> list[tuple[tuple[str, ...], Phrase]]:
    """The phrases that the words found call for; those that need a negation only beside one."""
    candidates = _OTHERS if found.isdisjoint(_NEGATIONS) else PHRASES
    held = ((tuple(found.intersection(phrase.triggers)), phrase) for phrase in candidates)
    return [(triggers, phrase) for triggers, phrase in held if triggers]


def _is_emphasized(words: str) -> bool:
    return "*" in words or "_" in words or "`" in words


_BEGINNING = re.compile(r"([0-9a-zß-ÿœ]{1,4})[0-9a-zß-ÿœ]*+")
"""The first four letters of each word, by which triggers are found."""


def _by_beginning(words: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for word in sorted(set(words)):
        found.setdefault(_BEGINNING.findall(word)[0], []).append(word)
    return found


def _triggers(phrases: tuple[Phrase, ...]) -> Iterator[str]:
    return (trigger for phrase in phrases for trigger in phrase.triggers)


_REFUSALS = frozenset({Act.NO_ANSWER, Act.DENIES, Act.ABOUT_SOURCES})
"""They need a negation: without one in a text, nobody refuses anything in it."""
_OTHERS = tuple(phrase for phrase in PHRASES if phrase.act not in _REFUSALS)
_BY_BEGINNING = _by_beginning(_triggers(PHRASES))
_NEGATIONS = frozenset(NEGATIONS)


def _beginning_in(words: Iterable[str]) -> Pieces[list[str]]:
    """Of each piece of a folded text: those words that begin as one of its own does."""
    known = _by_beginning(words)

    def begun(piece: str) -> list[str] | None:
        plain = lower(piece).translate(_EMPHASIS)
        return [w for begin in _BEGINNING.findall(plain) for w in known.get(begin, ())] or None

    return Pieces(begun)


_CALLING = _beginning_in((*_triggers(_OTHERS), *NEGATIONS))
_REFUSING = _beginning_in(_triggers(PHRASES))


def _act(lowered: str, one: Sentence, active: _Active) -> Act:
    start, end, kind = one.start, one.end, one.kind
    if kind is HEADING or kind is CODE:
        return Act.SILENT
    if not active.phrases and lowered[end - 1] not in _QUESTION_OR_COLON:
        # most sentences of most answers: long, or with a number that is in no citation
        if end - start >= _SURELY_SAYS or _DIGIT_FIRST.match(lowered, start, end):
            return ASSERTS
    if end - start <= LONGEST:
        words = lowered[start:end]
    else:
        words = lowered[start : start + LONGEST // 2] + " … " + lowered[end - LONGEST // 2 : end]
    if _is_emphasized(words):
        words = words.translate(_EMPHASIS)
    if "[" in words or "【" in words:
        words = _CITATION.sub("", words).strip()
    if active.phrases:
        act = _by_phrase(words, active)
        if act is not None:
            return act
    return _by_form(words)


def _by_form(words: str) -> Act:
    if words.endswith(("?", "？")):
        return Act.ASKS
    if words.endswith((":", "：")) and not _DIGIT.search(words):
        return Act.CHATS
    return Act.ASSERTS if _says(words, _FEWEST_WORDS) else Act.SILENT


def _says(words: str, fewest: int) -> bool:
    """Whether there is enough in it to be checked: a number, or some content words."""
    if len(words) >= _SURELY_SAYS or _DIGIT.search(words) is not None:
        return True
    return len(gather(words)) >= fewest


def _by_phrase(words: str, active: _Active) -> Act | None:
    """The act of the phrases found; that of an assertion where the sentence turns to one."""
    acts = _acts(words, active)
    if not acts:
        return None
    if Act.NO_ANSWER in acts or Act.DENIES in acts:
        if any(_asserts(clause, active) for clause in _clauses(words)):
            return Act.ASSERTS
    for act in _ORDER:
        if act in acts:
            return act
    return Act.ABOUT_SOURCES


def _acts(words: str, active: _Active) -> set[Act]:
    negated: bool | None = None
    acts: set[Act] = set()
    for triggers, phrase in active.phrases:
        if phrase.act in acts or not any(trigger in words for trigger in triggers):
            continue
        if phrase.act in (Act.NO_ANSWER, Act.DENIES) and phrase.language:
            if negated is None:
                negated = any(word in words for word in active.negations)
            if not negated:
                continue
        if phrase.pattern.search(words) is not None:
            acts.add(phrase.act)
    return acts


def _asserts(clause: str, active: _Active) -> bool:
    return (
        _says(clause, _FEWEST_IN_CLAUSE)
        and not clause.endswith(("?", "？"))
        and not _acts(clause, active)
    )


def _clauses(words: str) -> Iterator[str]:
    """The parts of a sentence that turns; nothing for one that does not."""
    if CONCESSION.match(words):
        yield from words.split(",")
        return
    parts = CONTRAST.split(words)
    if len(parts) > 1:
        yield from parts
        # "… finde ich nichts, Führungen gibt es aber täglich": the whole clause turns
        yield from (clause for clause in words.split(",") if INNER_CONTRAST.search(clause))
