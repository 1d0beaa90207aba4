"""A policy file from a survey: valid YAML, each line with the reason for it.

Names of apps are what the sample said: they stand in it as quoted strings only, never in a comment.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from service.doctor.survey import AppSurvey, Survey

MOST_APPS = 50
ALWAYS = 0.98
"""Share of citing answers from which citations are the rule."""
ENOUGH = 30
"""Answers below which nothing is required."""


def propose(survey: Survey) -> str:
    """The file's text. Apps beyond the first :data:`MOST_APPS` are left to the defaults."""
    apps = sorted(survey.apps.items(), key=lambda item: -item[1].events)
    lines = [
        f"# Proposed by `groundwatch doctor` from {survey.events} events.",
        "# What is left out has its default. Read it, change what you know better, then name it:",
        "# GROUNDWATCH_POLICY=policy.yaml",
        "apps:" if apps else "apps: {}",
    ]
    for name, app in apps[:MOST_APPS]:
        lines += [f"  {_quoted(name)}:", *(f"    {line}" for line in _app(app))]
    if len(apps) > MOST_APPS:
        lines.append(f"  # {len(apps) - MOST_APPS} rarer names were left out")
    lines += [
        '# An app that is not listed is labelled "other" and checked with the defaults;',
        "# reject sends its answers to the dead letters.",
        "unknown_apps: other",
    ]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    """Plain where YAML reads a plain word as itself, else as JSON: its strings are YAML's, too."""
    if _PLAIN.fullmatch(text) and text.lower() not in _READ_OTHERWISE:
        return text
    return json.dumps(text.encode("utf-8", "replace").decode())


_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_READ_OTHERWISE = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})


def _app(app: AppSurvey) -> Iterator[str]:
    yield f"# {app.events} answers"
    yield "citations:"
    for line in _citations(app):
        yield f"  {line}"
    everyone = sorted(app.everyone)
    if everyone:
        yield "access:"
        yield '  # stand in chunks\' acl and read like "no restriction"; remove what does not'
        yield f"  everyone: {json.dumps(everyone)}"


def _citations(app: AppSurvey) -> Iterator[str]:
    separator = app.separator
    zero, one = app.share(0, separator), app.share(1, separator)
    if not app.citations:
        yield "# no citation was seen: base and separator are the defaults"
    elif zero == one:
        yield f"# {one:.1%} of the citations resolve, counted from 0 or from 1: nothing tells"
    else:
        yield f"# {one:.1%} of the citations resolve counted from 1, {zero:.1%} from 0"
    yield f"base: {app.base}"
    yield "# between a document and its chunk, as the retrieved refs are made"
    yield f"separator: {json.dumps(separator)}"
    share = app.citing / app.events
    required = share >= ALWAYS and app.events >= ENOUGH
    yield f"# {share:.1%} of the answers cite; true: one that does not fails citation_coverage"
    yield f"required: {str(required).lower()}"
    if app.with_urls:
        yield f"# {app.with_urls / app.events:.1%} of the answers have chunks with a URL"
    else:
        yield "# links count as citations once chunks carry URLs; none does"
    yield "by_url: true"
    if app.forms:
        seen = ", ".join(f"{form} {n}" for form, n in app.forms.most_common())
        yield f"# forms seen: {seen}"
        yield "# all forms are read while this is left out; listing some turns the others off:"
        yield f"# forms: [{', '.join(sorted(app.forms))}]"
