"""The per-app policy: one YAML file, validated, closed. Pure: settings read the file."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from service.expressions import check_expression
from service.redaction.patterns import check_pattern

CHECKS_VERSION = 3
"""Goes up when a check decides differently: a new rule must not be taken for a bad release."""

OTHER = "other"
CheckName = Literal[
    "citations", "links", "quotes", "numbers", "identifiers", "citation_coverage", "abstention",
    "access", "retrieval", "scope", "overlap",
]  # fmt: skip
Part = Literal["answer", "findings", "fault", "behaviour", "needed", "grounded", "helpful"]
Probability = Annotated[float, Field(ge=0.0, le=1.0)]
Expression = Annotated[str, AfterValidator(check_expression)]
"""JMESPath, checked when the policy is read."""


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class CitationPolicy(_Closed):
    """How this app cites."""

    base: Literal[0, 1] = Field(1, description="The first index of numeric citations.")
    separator: str = Field("#", description="Between a document and its chunk: pricing#plans.")
    required: bool = Field(False, description="An answer without a citation fails.")
    by_url: bool = Field(
        True, description="Links count as citations when retrieved chunks carry URLs."
    )
    forms: tuple[str, ...] | None = Field(
        None, description="Names of the forms that count; all when absent."
    )


class NumberPolicy(_Closed):
    """What counts as a number to check."""

    in_code: bool = Field(
        True, description="Values in code blocks are checked (indices and names are not)."
    )


class LinkPolicy(_Closed):
    """Which addresses an answer may give without having read them."""

    allowed_hosts: tuple[str, ...] = Field(
        (), description="Hosts, with their subdomains, that answers may always link to."
    )


class IdentifierPolicy(_Closed):
    """Which code-like names an answer may use without having read them."""

    allowed: tuple[str, ...] = Field(
        (), description="Identifiers that every answer may name, in any case."
    )


class AbstentionPolicy(_Closed):
    """This app's own words, beside the built-in phrases: parts of sentences, in any case."""

    no_answer: tuple[str, ...] = Field((), description="Says that the sources hold no answer.")
    clarify: tuple[str, ...] = Field((), description="Asks the user back.")
    deny: tuple[str, ...] = Field((), description="Says that the system will not answer.")
    refused_overlap: Probability = Field(
        0.8,
        description="Share of the query's content words in one chunk from which an abstention is "
        "refused_despite_evidence.",
    )


class AccessPolicy(_Closed):
    """How the acl of a chunk is read."""

    everyone: tuple[str, ...] = Field(
        (), description="Names in an acl that stand for every user, such as public."
    )


class SamplingPolicy(_Closed):
    """Inclusion probabilities. The judge's are at least the audit's, always; a budget scales those
    of the strata down together."""

    audit: Probability = Field(
        0.005, description="Share of answers that people audit while traffic is unknown."
    )
    audit_per_day: float = Field(
        20.0,
        ge=0.0,
        allow_inf_nan=False,
        description="Audits a day once traffic is known: 20 answers, whatever the traffic.",
    )
    audit_max: Probability = Field(
        0.2, description="At most this share is audited, however little traffic there is."
    )
    flagged_high: Probability = Field(0.3, description="Judged, of those with a grave finding.")
    flagged: Probability = Field(0.2, description="Judged, of those with another finding.")
    abstained: Probability = Field(0.05, description="Judged, of those that gave no answer.")
    low_overlap: Probability = Field(0.05, description="Judged, of the doubtful ones.")
    rest: Probability = Field(0.01, description="Judged, of all others.")
    low_overlap_below: Probability = Field(
        0.3, description="A sentence that shares less with its best chunk makes an answer doubtful."
    )
    negative_feedback: Probability = Field(
        0.5, description="Judged, of those that somebody complained about (a second draw)."
    )
    floor: Probability = Field(
        0.05,
        description="A budget scales the judged shares down to this part of them, never further: "
        "below it, judging waits for budget.",
    )


class ReviewPolicy(_Closed):
    """What people are asked about this app's answers, and how soon."""

    weight: float = Field(
        1.0,
        ge=1 / 16,
        le=16.0,
        description="How much a case of this app matters beside one of another app.",
    )
    required: tuple[Part, ...] = Field(
        ("answer",), description="Parts of a label that settle a case; by default one key does."
    )
    required_of_tasks: tuple[Part, ...] = Field(
        ("answer", "fault", "needed", "grounded", "helpful"),
        description="Parts that are asked of an audit.",
    )
    double_label: Probability = Field(
        0.15, description="Share of the audits that two people label, unaware of each other."
    )

    def parts(self, kind: str) -> tuple[str, ...]:
        """What is asked of a ``case`` (alone or with its group) or of a ``task``."""
        return self.required_of_tasks if kind == "task" else self.required


EventField = Literal[
    "query", "query_id", "context", "retrieved", "answer", "citations", "user", "session_id",
    "trace_id", "tags", "release",
]  # fmt: skip
Region = Annotated[str, Field(pattern="^[A-Z]{2}$")]


class PatternPolicy(_Closed):
    """Values that only this app knows: customer numbers, contract numbers."""

    name: Annotated[str, Field(pattern="^[a-z][a-z0-9_]{0,31}$")] = Field(
        description="What the values are, for whoever reads the policy."
    )
    matches: Annotated[str, AfterValidator(check_pattern)] = Field(
        description="A Python regular expression, with an upper bound on each repeat."
    )


class RedactionPolicy(_Closed):
    """Which values are masked before an answer is kept, shown, judged or produced."""

    email: bool = Field(True, description="E-mail addresses.")
    phone: bool = Field(True, description="Phone numbers.")
    iban: bool = Field(True, description="IBANs whose check digits are right.")
    card: bool = Field(True, description="Card numbers that pass Luhn, of the known issuers.")
    ip: bool = Field(True, description="IP addresses, versions 4 and 6.")
    phone_regions: tuple[Region, ...] = Field(
        ("DE", "AT", "CH", "GB", "US"),
        max_length=10,
        description="Countries (two letters) whose numbers are known without a country code.",
    )
    patterns: tuple[PatternPolicy, ...] = Field((), max_length=20)
    exempt: frozenset[EventField] = Field(
        frozenset(), description="Fields of the event that are kept as they came."
    )

    @model_validator(mode="after")
    def _distinct(self) -> RedactionPolicy:
        names = [pattern.name for pattern in self.patterns]
        if twice := {name for name in names if names.count(name) > 1}:
            raise ValueError(f"patterns: two are called {min(twice)}; choose another name")
        return self


MOST_COMBINATIONS = 64
"""Of one app's counted tags: each multiplies its counters in the store."""
ABSENT = "-"
"""Counted for an answer without the tag."""


def _plain_word(word: str) -> str:
    """A tag's name or value as a counter's field may hold it."""
    if not 1 <= len(word) <= 64 or not word.isprintable() or "," in word or "=" in word:
        raise ValueError(
            f"{word[:80]!a}: names and values of tags have 1 to 64 printable characters, "
            "without , and ="
        )
    return word


def _own_value(value: str) -> str:
    if value in (OTHER, ABSENT):
        raise ValueError(
            f"leave out {value!r}: it is counted by itself ({OTHER}: a value that is not listed, "
            f"{ABSENT}: no such tag)"
        )
    return value


TagWord = Annotated[str, AfterValidator(_plain_word)]
TagValue = Annotated[TagWord, AfterValidator(_own_value)]
Dimensions = Annotated[
    dict[TagWord, Annotated[frozenset[TagValue], Field(min_length=1)]], Field(max_length=3)
]
"""Tag → the values that are counted apart."""


class AppPolicy(_Closed):
    """Everything that may differ between two apps."""

    citations: CitationPolicy = CitationPolicy()
    numbers: NumberPolicy = NumberPolicy()
    links: LinkPolicy = LinkPolicy()
    identifiers: IdentifierPolicy = IdentifierPolicy()
    abstention: AbstentionPolicy = AbstentionPolicy()
    access: AccessPolicy = AccessPolicy()
    disabled_checks: frozenset[CheckName] = frozenset()
    sampling: SamplingPolicy = SamplingPolicy()
    review: ReviewPolicy = ReviewPolicy()
    redaction: RedactionPolicy = RedactionPolicy()
    dimensions: Dimensions = Field(
        default_factory=dict,
        description="Up to 3 tags by which answers are counted apart, with the values that count.",
    )

    @field_validator("dimensions")
    @classmethod
    def _few_combinations(cls, dimensions: dict[str, frozenset[str]]) -> dict[str, frozenset[str]]:
        found = math.prod(len(values) + 2 for values in dimensions.values())
        if found > MOST_COMBINATIONS:
            raise ValueError(
                f"{found} combinations, with {OTHER} and {ABSENT} for each tag; at most "
                f"{MOST_COMBINATIONS}: list fewer values or fewer tags"
            )
        return dimensions

    def counted_tags(self, tags: Mapping[str, str]) -> str:
        """What of an event's tags is counted, by rising name: ``channel=web,plan=other``. Only
        words of this policy; empty without :attr:`dimensions`."""
        if not self.dimensions:
            return ""
        return ",".join(
            f"{name}={_counted(tags.get(name), self.dimensions[name])}"
            for name in sorted(self.dimensions)
        )

    @cached_property
    def ruleset(self) -> str:
        """Version of the checks + hash of this app's check settings (not of its sampling, its
        review, its counted tags or its redaction: checks see the original)."""
        beside = {"disabled_checks", "sampling", "review", "redaction", "dimensions"}
        settings = self.model_dump_json(exclude=beside)
        settings += ",".join(sorted(self.disabled_checks))
        return f"{CHECKS_VERSION}-{hashlib.sha256(settings.encode()).hexdigest()[:8]}"


def _counted(value: str | None, listed: frozenset[str]) -> str:
    if not value:
        return ABSENT
    return value if value in listed else OTHER


class ChunkMapping(_Closed):
    """``each`` finds the chunks in the foreign object, the others read one of them."""

    each: Expression
    ref: Expression
    text: Expression | None = None
    score: Expression | None = None
    rank: Expression | None = None
    in_prompt: Expression | None = None
    url: Expression | None = None
    title: Expression | None = None
    number: Expression | None = None
    tenant: Expression | None = None
    acl: Expression | None = None
    metadata: Expression | None = None


class ContextMapping(_Closed):
    each: Expression
    name: Expression
    kind: Expression | None = None
    text: Expression


class CitationMapping(_Closed):
    """Either ``adapter`` and where its payload is (``from``), or ``each`` and what one holds."""

    adapter: Literal["anthropic", "bedrock", "cohere", "gemini", "openai"] | None = None
    payload: Expression = Field("@", alias="from")
    each: Expression | None = None
    ref: Expression | None = None
    start: Expression | None = None
    end: Expression | None = None
    quote: Expression | None = None

    @model_validator(mode="after")
    def _one_way(self) -> CitationMapping:
        read = self.model_fields_set - {"adapter", "payload"}
        if self.adapter is not None and read:
            raise ValueError(f"with an adapter, leave out {', '.join(sorted(read))}")
        if self.adapter is None and (self.each is None or self.ref is None):
            raise ValueError("give an adapter, or each and ref")
        if self.adapter is None and "payload" in self.model_fields_set:
            raise ValueError("from needs an adapter")
        return self


class UserMapping(_Closed):
    id_hash: Expression | None = None
    tenant: Expression | None = None
    groups: Expression | None = None


class ReleaseMapping(_Closed):
    id: Expression | None = None
    model: Expression | None = None
    prompt: Expression | None = None
    retriever: Expression | None = None
    retrieval_params: Expression | None = None
    embedding_model: Expression | None = None
    chunking: Expression | None = None
    index: Expression | None = None
    corpus: Expression | None = None


class UsageMapping(_Closed):
    input_tokens: Expression | None = None
    output_tokens: Expression | None = None
    cost_usd: Expression | None = None


class ResponseMapping(_Closed):
    """How the response of a RAG system becomes an answer: one expression a field of the contract.
    Without ``retrieved``, what it was given counts as retrieved. ``answer`` may be left out where
    the citations' adapter finds it in its payload."""

    answer: Expression | None = None
    retrieved: ChunkMapping | None = None
    status: Expression | None = None
    context: ContextMapping | None = None
    citations: CitationMapping | None = None
    release: ReleaseMapping | None = None
    usage: UsageMapping | None = None
    latency_ms: dict[str, Expression] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _has_an_answer(self) -> ResponseMapping:
        if self.answer is None and (self.citations is None or self.citations.adapter is None):
            raise ValueError("answer is required unless citations.adapter finds it")
        return self


class MappingPolicy(ResponseMapping):
    """How a foreign JSON object becomes an answer event. ``when`` says whether an object is of this
    shape."""

    when: Expression
    event_id: Expression
    query: Expression
    retrieved: ChunkMapping
    occurred_at: Expression | None = None
    app: Expression | None = None
    purpose: Expression | None = None
    language: Expression | None = None
    query_id: Expression | None = None
    user: UserMapping | None = None
    session_id: Expression | None = None
    trace_id: Expression | None = None
    tags: dict[str, Expression] = Field(default_factory=dict)


_SECRET_HEADER = re.compile(r"auth|cookie|key|token|secret|password", re.IGNORECASE)
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
FROM_ENVIRONMENT = re.compile(r"\benv:([A-Za-z_][A-Za-z0-9_]*)")
"""What stands in a policy file for a secret that is not there."""


class TargetPolicy(_Closed):
    """An HTTP endpoint of a RAG system, which measurements and probes ask."""

    url: str = Field(description="http:// or https://, without login.")
    method: Literal["POST", "GET"] = "POST"
    headers: dict[str, str] = Field(
        default_factory=dict, description="`env:NAME` stands for that environment variable."
    )
    body: Expression = Field(
        "@", description="What is sent, read out of the request (GET: as query parameters)."
    )
    response: ResponseMapping | None = Field(
        None, description="Without it the response has the contract's own names."
    )
    timeout_s: float = Field(60.0, gt=0.0, le=3_600.0, description="Of one request, in all.")
    concurrency: int = Field(4, ge=1, le=64, description="Requests at the same time.")
    max_bytes: int = Field(4 << 20, ge=1, le=256 << 20, description="Of a response.")

    @field_validator("url")
    @classmethod
    def _plain_url(cls, url: str) -> str:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("must begin with http:// or https:// and name a host")
        if parts.username is not None or parts.password is not None:
            raise ValueError("must hold no login: put it into headers, as env:NAME")
        return url

    @field_validator("headers")
    @classmethod
    def _no_secret(cls, headers: dict[str, str]) -> dict[str, str]:
        for name, value in headers.items():
            if not (_HEADER.fullmatch(name) and value.isascii() and value.isprintable()):
                raise ValueError(f"{name!a} is no header that can be sent")
            if _SECRET_HEADER.search(name) and not FROM_ENVIRONMENT.search(value):
                raise ValueError(
                    f"{name}: a secret does not stand in this file: name an environment variable, "
                    "as in `Authorization: Bearer env:RAG_TOKEN`"
                )
        return headers


class Policy(_Closed):
    """All apps. An app that is not listed is labelled ``other`` (its identity keeps its name)."""

    apps: dict[str, AppPolicy] = Field(default_factory=dict)
    default: AppPolicy = AppPolicy()
    unknown_apps: Literal["other", "reject"] = "other"
    mappings: dict[str, MappingPolicy] = Field(
        default_factory=dict, description="Foreign JSON shapes; the first whose `when` holds."
    )
    targets: dict[str, TargetPolicy] = Field(
        default_factory=dict, description="RAG systems to measure, by a name of your own."
    )

    def of(self, app: str) -> AppPolicy:
        return self.apps.get(app, self.default)

    def label(self, app: str) -> str:
        """The bounded name that metrics and counters carry."""
        return app if app in self.apps else OTHER

    def admits(self, app: str) -> bool:
        return app in self.apps or self.unknown_apps == OTHER
