"""Verdicts of gates for people and for CI: lines, Markdown, JUnit XML. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from service.estimates.bounds import Outcome
from service.measuring.gates import Ruling, Verdict

_SIGNS = {Outcome.PASS: "✓", Outcome.FAIL: "✗", Outcome.UNDECIDED: "?"}


def verdict_lines(verdicts: Sequence[Verdict]) -> Iterator[str]:
    for verdict in verdicts:
        of = f" (release {verdict.release})" if verdict.release else ""
        yield f"{verdict.gate}: {verdict.state}{of}"
        for ruling in verdict.rulings:
            yield f"  {ruling.state:9}  {ruling.rule}: {ruling.told}"


def markdown(verdicts: Sequence[Verdict]) -> str:
    """For a summary of a CI job, or a comment of a pull request."""
    parts = []
    for verdict in verdicts:
        of = f" · release {_cell(verdict.release)}" if verdict.release else ""
        parts.append(
            f"### {_SIGNS[verdict.state]} Gate {_cell(verdict.gate)}: {verdict.state}{of}\n\n"
            "| | rule | what was measured |\n|---|---|---|\n"
            + "".join(
                f"| {_SIGNS[ruling.state]} {ruling.state} | {_cell(ruling.rule)} "
                f"| {_cell(ruling.told)} |\n"
                for ruling in verdict.rulings
            )
        )
    return "\n".join(parts)


def junit(verdicts: Sequence[Verdict]) -> bytes:
    """A suite a gate, a case a rule. Undecided is an error, not a failure: the rule was not broken,
    but nothing says that it holds, and a skipped case would be green."""
    root = Element("testsuites", name="groundwatch gate")
    for verdict in verdicts:
        rulings = verdict.rulings
        suite = SubElement(
            root,
            "testsuite",
            name=_xml(verdict.gate),
            tests=str(len(rulings)),
            failures=str(_count(rulings, Outcome.FAIL)),
            errors=str(_count(rulings, Outcome.UNDECIDED)),
        )
        for ruling in rulings:
            _case(suite, verdict.gate, ruling)
    indent(root)
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + tostring(root, encoding="unicode").encode()


def _case(suite: Element, gate: str, ruling: Ruling) -> None:
    case = SubElement(suite, "testcase", classname=f"gate.{_xml(gate)}", name=_xml(ruling.rule))
    told = _xml(ruling.told)
    if ruling.state is Outcome.PASS:
        SubElement(case, "system-out").text = told
        return
    tag = "failure" if ruling.state is Outcome.FAIL else "error"
    SubElement(case, tag, message=told, type=ruling.state.value).text = told


def _count(rulings: Sequence[Ruling], state: Outcome) -> int:
    return sum(ruling.state is state for ruling in rulings)


def _xml(text: str) -> str:
    """Without what XML 1.0 cannot hold; names of questions and releases are not ours."""
    return "".join(char if char.isprintable() else "�" for char in text)


def _cell(text: str) -> str:
    """Of a table, as text and nothing else."""
    escaped = _xml(text).replace("&", "&amp;").replace("<", "&lt;")
    return "".join(f"\\{char}" if char in "\\`*_[]|!~" else char for char in escaped)
