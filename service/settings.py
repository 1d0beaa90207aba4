"""The only reader of the environment: ``GROUNDWATCH_*`` and one optional YAML file."""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin
from urllib.parse import urlsplit

import yaml
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import ErrorDetails

from service.access.proxies import networks_of
from service.access.rules import AccessRules
from service.checks.citation_forms import FORM_NAMES
from service.policy import FROM_ENVIRONMENT, Policy
from service.transport_rules import transport_faults

PREFIX = "GROUNDWATCH_"
_HEADER = r"^[A-Za-z0-9-]{1,100}$"


class SettingsError(Exception):
    """A setting is unknown or invalid. The message names it and says what is allowed."""


class Settings(BaseModel):
    """Every setting. In the environment: upper case with the prefix, ``GROUNDWATCH_REDIS_URL``."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    # Where things are
    kafka_bootstrap: str | None = Field(
        None, description="host:port[,host:port]; without it groundwatch runs embedded."
    )
    redis_url: str = Field(
        "memory://", description="redis://, rediss://, unix://, or memory:// (embedded)."
    )
    redis_username: str | None = Field(None, description="The ACL user, where the URL has none.")
    redis_password: SecretStr | None = Field(None, description="Where the URL has none.")
    redis_ssl_cafile: Path | None = Field(
        None, description="rediss://: CA certificates (PEM) to trust beside the system's."
    )
    redis_ssl_certfile: Path | None = Field(
        None, description="rediss://: our client certificate with its chain (PEM)."
    )
    redis_ssl_keyfile: Path | None = Field(
        None, description="Its key; absent when it stands in the certificate's file."
    )
    redis_ssl_password: SecretStr | None = Field(None, description="Of an encrypted key.")
    redis_namespace: str = Field(
        "groundwatch",
        pattern=r"^[A-Za-z0-9_.-]{1,64}$",
        description="Separates installations in one Redis.",
    )
    policy: Path | None = Field(None, description="The per-app policy file (YAML).")
    gates: Path | None = Field(
        None, description="The rules file of the gates (YAML) that GET /v1/gates/{name} decides."
    )
    wanted_recall: float | None = Field(
        None,
        gt=0,
        le=1,
        description="Target of recall@k in the overview, else the packaged one.",
    )
    wanted_precision: float | None = Field(
        None,
        gt=0,
        le=1,
        description="Target of precision@k in the overview, else the packaged one.",
    )
    wanted_faithfulness: float | None = Field(
        None,
        gt=0,
        le=1,
        description="Target of faithfulness in the overview, else the packaged one.",
    )
    wanted_relevance: float | None = Field(
        None,
        gt=0,
        le=1,
        description="Target of answer relevance in the overview, else the packaged one.",
    )
    wanted_context_precision: float | None = Field(
        None,
        gt=0,
        le=1,
        description="Target of context precision in the overview, else the packaged one.",
    )
    data_dir: Path = Field(
        Path("groundwatch-data"),
        description="Embedded: where verdicts and dead letters are appended (JSONL).",
    )

    # Topics and group
    topic_answers: str = "rag.answers"
    topic_dead_letters: str = "rag.answers.dead-letter"
    topic_verdicts: str = "rag.verdicts"
    topic_feedback: str = "rag.feedback"
    topic_reviews: str = "rag.reviews"
    group: str = Field("groundwatch-checks", description="Consumer group of the answers.")
    answers_transactional: bool = Field(
        False,
        description="Producers of answers use transactions: their markers are gaps, not losses.",
    )

    # Kafka client
    kafka_security_protocol: Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"] = "PLAINTEXT"
    kafka_ssl_cafile: Path | None = Field(
        None, description="CA certificates (PEM) to trust instead of the system's."
    )
    kafka_ssl_certfile: Path | None = Field(
        None, description="Our client certificate with its chain (PEM)."
    )
    kafka_ssl_keyfile: Path | None = Field(
        None, description="Its key; absent when it stands in the certificate's file."
    )
    kafka_ssl_password: SecretStr | None = Field(None, description="Of an encrypted key.")
    kafka_sasl_mechanism: (
        Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"] | None
    ) = None
    kafka_sasl_username: str | None = Field(None, min_length=1)
    kafka_sasl_password: SecretStr | None = None
    kafka_oauth_token_file: Path | None = Field(
        None, description="OAUTHBEARER: a file with the token, read anew for each connection."
    )
    kafka_oauth_token_url: str | None = Field(
        None,
        description="OAUTHBEARER: the token endpoint (https) of an OIDC provider, asked with the "
        "client credentials; tokens are renewed before they expire.",
    )
    kafka_oauth_client_id: str | None = Field(None, min_length=1)
    kafka_oauth_client_secret: SecretStr | None = None
    kafka_oauth_scope: str | None = None
    kafka_oauth_ssl_cafile: Path | None = Field(
        None, description="CA certificates (PEM) of the token endpoint, instead of the system's."
    )
    session_timeout_s: float = Field(10.0, gt=0)
    max_poll_interval_s: float = Field(120.0, gt=0)
    max_poll_records: int = Field(500, ge=1, le=10_000)
    max_decompressed_bytes: int = Field(
        64 << 20, ge=1 << 20, description="A batch that unpacks to more is a bomb."
    )
    grace_s: float = Field(
        20.0, gt=0, description="After SIGTERM: time to drain, flush and commit."
    )

    # Events
    default_app: str = Field("default", description="For events that name no app.")
    max_event_bytes: int = Field(1 << 20, ge=1_000)
    max_chunks: int = Field(200, ge=1)
    max_text: int = Field(4 << 20, ge=1_000, description="Characters of all texts of one event.")
    max_case_bytes: int = Field(200_000, ge=20_000, description="A case record is reduced to this.")
    sampling_secret: SecretStr | None = Field(
        None,
        description="Key of the sampling hash. Made and kept in the store when absent: then a "
        "store that is lost draws another sample.",
    )

    # Chunk texts over HTTP
    documents_url: str | None = Field(
        None,
        description="Where chunk texts are that the store lacks: a URL with {ref} (and perhaps "
        "{corpus}) in its path or query.",
    )
    documents_timeout_s: float = Field(
        2.0, gt=0, le=10, description="Of one request; a batch waits at most five times that."
    )
    documents_cache_bytes: int = Field(
        64 << 20, ge=0, description="Memory for chunk texts that came over HTTP."
    )
    documents_ssl_cafile: Path | None = Field(
        None, description="CA certificates (PEM) to trust there instead of the system's."
    )

    # Caps of the store
    id_window_s: int = Field(
        3_600, ge=1, description="How long an event id is remembered to spot a repeat."
    )
    cases_per_group_day: int = Field(50, ge=1)
    max_cases: int = Field(200_000, ge=1)
    max_groups: int = Field(100_000, ge=1)
    releases_per_app: int = Field(20, ge=1)
    max_questions: int = Field(
        10_000,
        ge=0,
        description="Questions that retrieval did not serve, the newest are kept, for 30 days at "
        "most; 0 keeps none.",
    )

    feedback_window_s: int = Field(
        86_400,
        ge=0,
        le=7 * 86_400,
        description="How long after an answer feedback on it can be joined; 0 turns it off.",
    )

    # The judge
    judge_base_url: str | None = Field(
        None,
        pattern=r"^https?://[^\s?#]+$",
        description="An OpenAI-compatible endpoint, up to where /chat/completions follows "
        "(https://host/v1). Without it the judge is off. Set it for every process.",
    )
    judge_model: str | None = Field(None, description="The model's name at that endpoint.")
    judge_api_key: SecretStr | None = Field(None, description="Sent as a bearer token.")
    judge_ssl_cafile: Path | None = Field(
        None, description="CA certificates (PEM) to trust there instead of the system's."
    )
    judge_temperature: float | None = Field(
        0.0, ge=0, le=2, description="`none` leaves it to the endpoint."
    )
    judge_seed: int | None = None
    judge_relevance: bool = Field(
        True, description="A second, small call: does the answer answer the question?"
    )
    judge_max_tokens: int = Field(
        4_096, ge=256, description="Of one ruling, a model's thoughts included."
    )
    judge_call_timeout_s: float = Field(60.0, gt=0, description="Of one call, from start to end.")
    judge_deadline_s: float = Field(
        180.0, gt=0, description="Of one round at one answer, retries included."
    )
    judge_max_age_s: float = Field(
        86_400.0, gt=0, description="An answer that waits longer for the judge has failed."
    )
    judge_concurrency: int = Field(4, ge=1, le=256, description="Answers at a time, each process.")
    judge_max_backlog: int = Field(
        2_000, ge=1, description="Answers that may wait; more are refused, audited ones never."
    )
    judge_takeover_s: float = Field(
        60.0, ge=2, description="Work of a judge that said nothing for so long is taken over."
    )
    judge_flip_share: float = Field(
        0.01, ge=0, le=1, description="Share of the answers that is judged twice, to see flips."
    )

    calibration_days: int = Field(
        28,
        ge=1,
        le=90,
        description="Days, today's included, whose judged answers and audits say how good the "
        "judge is and correct its rates.",
    )

    # The judge's budget
    judge_tokens_per_day: int | None = Field(
        None, ge=0, description="Tokens, in and out, of a UTC day; no bound when absent."
    )
    judge_money_per_day: float | None = Field(
        None,
        ge=0,
        allow_inf_nan=False,
        description="Money of a UTC day, in the currency of the prices; no bound when absent.",
    )
    judge_calls_per_minute: int | None = Field(
        None, ge=1, description="Calls of all workers in any 60 seconds; no bound when absent."
    )
    judge_price_input: float = Field(
        0.0, ge=0, allow_inf_nan=False, description="Of a million input tokens, in any currency."
    )
    judge_price_output: float = Field(
        0.0, ge=0, allow_inf_nan=False, description="Of a million output tokens."
    )

    # The review queue
    review_lease_s: float = Field(
        600.0, ge=5, le=86_400, description="How long a case stays with whoever opened it."
    )
    review_retention_days: int = Field(
        90,
        ge=1,
        description="Resolved cases, and audits that are done or expired, are kept so long. Open "
        "ones stay; labels stay.",
    )

    # Web
    host: str = "127.0.0.1"
    port: int = Field(8321, ge=0, le=65_535)
    public_url: str | None = Field(
        None,
        pattern=r"^https?://[^\s/?#@]+/?$",
        description="How browsers reach the pages (https://watch.example.org): a write from a page "
        "of any other address is refused. Absent: where serve listens.",
    )
    allowed_hosts: str = Field(
        "",
        description="More names, separated by commas, that a request without a key may give in its "
        "Host header; that of PUBLIC_URL is among them, and on loopback the names of this machine.",
    )

    # Who may do what
    auth: Literal["loopback", "required", "anyone-may-do-anything"] = Field(
        "loopback",
        description="loopback: nobody is asked, and serve listens on loopback only. required: a "
        "key, or a person that a trusted proxy names. anyone-may-do-anything: nobody is asked, "
        "wherever serve listens.",
    )
    access: Path | None = Field(
        None, description="Which people may do what, and keys (YAML): docs/security.md."
    )
    trusted_proxies: str = Field(
        "",
        description="Addresses and networks, separated by commas, whose headers say who asks.",
    )
    proxy_user_header: str = Field("X-Forwarded-User", pattern=_HEADER)
    proxy_email_header: str = Field("X-Forwarded-Email", pattern=_HEADER)
    proxy_groups_header: str = Field(
        "X-Forwarded-Groups", pattern=_HEADER, description="Separated by commas."
    )
    metrics_open: bool = Field(
        False, description="AUTH=required: /metrics needs no key all the same."
    )
    sends_per_minute: int = Field(
        6_000,
        ge=1,
        description="Requests to /v1/answers and /v1/feedback that a key may make in a minute, of "
        "one process; each carries up to 500 events.",
    )

    # Beside the web
    metrics_host: str = "127.0.0.1"
    metrics_port: int = Field(
        9464, ge=0, le=65_535, description="Of consume: /metrics, /healthz, /readyz."
    )
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["auto", "json", "console"] = Field(
        "auto", description="auto: lines for people on a terminal, else JSON."
    )
    traces_endpoint: str | None = Field(
        None,
        pattern=r"^https?://[^\s?#@]+$",
        description="OTLP over HTTP, the whole URL (http://collector:4318/v1/traces): a trace of "
        "each batch and of each judged answer. Without it nothing is traced.",
    )

    @field_validator("judge_temperature", "judge_seed", mode="before")
    @classmethod
    def _left_to_the_endpoint(cls, value: Any) -> Any:
        return None if value in ("", "none") else value

    @field_validator("judge_base_url", "judge_model", "judge_api_key", mode="before")
    @classmethod
    def _empty_is_unset(cls, value: Any) -> Any:
        return None if value == "" else value

    @field_validator("judge_base_url")
    @classmethod
    def _is_an_address(cls, url: str | None) -> str | None:
        if url is not None and not _names_a_host(url):
            raise ValueError("wanted http:// or https://, a host, and perhaps a port and a path")
        if url is not None and "@" in urlsplit(url).netloc:
            raise ValueError("holds credentials, which are not sent; a key goes into JUDGE_API_KEY")
        return url

    @field_validator("judge_api_key")
    @classmethod
    def _fits_a_header(cls, key: SecretStr | None) -> SecretStr | None:
        text = key.get_secret_value() if key is not None else ""
        if not (text.isascii() and text.isprintable()):
            raise ValueError("has characters that no HTTP header can carry")
        return key

    @model_validator(mode="after")
    def _judge_has_a_model(self) -> Settings:
        if self.judge_base_url is not None and not self.judge_model:
            raise ValueError(
                "JUDGE_BASE_URL needs JUDGE_MODEL: the name that the endpoint gives the model"
            )
        return self

    @field_validator("documents_url")
    @classmethod
    def _is_template(cls, url: str | None) -> str | None:
        if url is not None and not _DOCUMENTS_URL.fullmatch(url):
            raise ValueError(
                "wanted http:// or https://, a host, and {ref} in the path or query; "
                "{corpus} is the only other placeholder"
            )
        return url

    @model_validator(mode="after")
    def _topics_differ(self) -> Settings:
        topics = (
            self.topic_answers, self.topic_dead_letters, self.topic_verdicts, self.topic_feedback,
            self.topic_reviews,
        )  # fmt: skip
        if len(set(topics)) < len(topics):
            raise ValueError(
                "TOPIC_ANSWERS, TOPIC_DEAD_LETTERS, TOPIC_VERDICTS, TOPIC_FEEDBACK and "
                "TOPIC_REVIEWS must differ: "
                "what is written to one would be read as another"
            )
        return self

    @model_validator(mode="after")
    def _money_has_prices(self) -> Settings:
        if self.judge_money_per_day is not None and not (
            self.judge_price_input or self.judge_price_output
        ):
            raise ValueError(
                "JUDGE_MONEY_PER_DAY needs JUDGE_PRICE_INPUT and JUDGE_PRICE_OUTPUT: "
                "without prices nothing costs anything"
            )
        return self

    @model_validator(mode="after")
    def _transport_fits(self) -> Settings:
        if faults := transport_faults(self):
            raise ValueError("; ".join(faults))
        return self

    @field_validator("trusted_proxies")
    @classmethod
    def _are_networks(cls, listed: str) -> str:
        networks_of(listed)
        return listed

    @model_validator(mode="after")
    def _proxies_fit(self) -> Settings:
        if not self.trusted_proxies:
            return self
        if self.auth != "required":
            raise ValueError("TRUSTED_PROXIES needs AUTH=required: else nobody asks who it is")
        if self.public_url is None:
            raise ValueError(
                "TRUSTED_PROXIES needs PUBLIC_URL: the address of the pages at the proxy, which a "
                "browser names when one of them writes"
            )
        return self

    @property
    def wanted(self) -> dict[str, float]:
        """Targets of the diagnosis tree that are set here, by line."""
        lines = ("recall", "precision", "faithfulness", "relevance", "context_precision")
        told = {line: getattr(self, f"wanted_{line}") for line in lines}
        return {line: target for line, target in told.items() if target is not None}

    @property
    def judging(self) -> bool:
        return self.judge_base_url is not None

    @property
    def embedded(self) -> bool:
        return self.kafka_bootstrap is None


def _names_a_host(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


_DOCUMENTS_URL = re.compile(
    r"https?://(?:[^/?#@{}\s]*@)?(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]{1,5})?"
    r"(?=[^#]*\{ref\})[/?](?:[^{}#\s]|\{ref\}|\{corpus\})*"
)
_NOT_SETTINGS = frozenset({f"{PREFIX}CONFIG"})
SECRETS = (
    "redis_url",
    *(
        name
        for name, field in Settings.model_fields.items()
        if SecretStr in get_args(field.annotation)
    ),
)
"""What may stand in a file that ``GROUNDWATCH_<NAME>_FILE`` names."""


def load_settings(environ: Mapping[str, str] | None = None, **overrides: Any) -> Settings:
    """Environment over file over defaults; ``overrides`` (command line) win where not None.

    Raises :class:`SettingsError` naming every setting that is unknown or invalid.
    """
    env = os.environ if environ is None else environ
    values = _from_file(env.get(f"{PREFIX}CONFIG"))
    for name, value in env.items():
        if name.startswith(PREFIX) and name not in _NOT_SETTINGS:
            values[name.removeprefix(PREFIX).lower()] = value
    values.update({name: value for name, value in overrides.items() if value is not None})
    _read_secrets(values)
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        raise SettingsError(_explain(error)) from None


def _read_secrets(values: dict[str, Any]) -> None:
    """A secret may stand in a file, as orchestrators mount them: ``<SETTING>_FILE`` names it."""
    for name in SECRETS:
        path = values.pop(f"{name}_file", None)
        if path is None:
            continue
        named = f"{PREFIX}{name.upper()}"
        if values.get(name):
            raise SettingsError(f"{named} and {named}_FILE are both set: which one holds?")
        values[name] = _read_secret(Path(path), f"{named}_FILE")


def _read_secret(path: Path, named_by: str) -> str:
    try:
        secret = path.read_text(encoding="utf-8").rstrip("\r\n")
    except OSError as error:
        raise SettingsError(f"{named_by}: cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise SettingsError(f"{named_by}: {path} is not UTF-8 text") from None
    if not secret:
        raise SettingsError(f"{named_by}: {path} is empty")
    return secret


def _from_file(path: str | None) -> dict[str, Any]:
    if not path:
        return {}
    data = read_yaml(Path(path), f"{PREFIX}CONFIG")
    if not isinstance(data, dict):
        raise SettingsError(f"{path}: wanted a mapping of setting names to values")
    return {str(name): value for name, value in data.items()}


class _Twice(yaml.YAMLError):
    """A mapping names a key for the second time: YAML forbids it, and PyYAML takes the last."""


class _Loader(yaml.SafeLoader):
    def compose_mapping_node(self, anchor: Any) -> Any:
        # here, before merge keys (<<) bring in what a mapping may say otherwise
        node = super().compose_mapping_node(anchor)
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if (key.tag, key.value) in seen:
                    line = key.start_mark.line + 1
                    raise _Twice(f"line {line}: {key.value!a} stands there for the second time")
                seen.add((key.tag, key.value))
        return node


def read_yaml(path: Path, named_by: str) -> Any:
    try:
        return yaml.load(path.read_text(encoding="utf-8"), _Loader)  # noqa: S506 (a SafeLoader)
    except OSError as error:
        raise SettingsError(f"{named_by}: cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        above = error.object.count(b"\n", 0, error.start)
        raise SettingsError(
            f"{named_by}: {path} is not valid YAML: no UTF-8 text (line {above + 1})"
        ) from None
    except _Twice as error:
        raise SettingsError(f"{named_by}: {path}, {error}") from None
    except yaml.YAMLError as error:
        line = getattr(getattr(error, "problem_mark", None), "line", None)
        where = f" (line {line + 1})" if line is not None else ""
        raise SettingsError(f"{named_by}: {path} is not valid YAML{where}") from None


def revealed(secret: SecretStr | None) -> str | None:
    return secret.get_secret_value() if secret is not None else None


def load_policy(path: Path | None) -> Policy:
    """The policy file, validated; defaults without one. Raises :class:`SettingsError`."""
    if path is None:
        return Policy()
    return parse_policy(read_yaml(path, f"{PREFIX}POLICY"), str(path))


def load_access(path: Path | None) -> AccessRules:
    """The access file, validated; without one nobody is let in by it. Raises
    :class:`SettingsError`."""
    if path is None:
        return AccessRules()
    try:
        data = _mapping(read_yaml(path, f"{PREFIX}ACCESS"), f"access {path}", AccessRules)
        return AccessRules.model_validate(data)
    except ValidationError as error:
        faults = _faults(error, AccessRules)
        raise SettingsError(f"access {path}:\n  " + "\n  ".join(faults)) from None


def _mapping(data: Any, name: str, model: type[BaseModel]) -> dict[Any, Any]:
    """What a YAML file holds; nothing at all is an empty mapping."""
    if data is None:
        return {}
    if not isinstance(data, dict):
        fields = ", ".join(model.model_fields)
        what = "a list" if isinstance(data, list) else "a single value"
        raise SettingsError(f"{name}: wanted a mapping ({fields}), found {what}")
    return data


def _faults(error: ValidationError, model: type[BaseModel]) -> list[str]:
    return [
        f"{'.'.join(str(part) for part in fault['loc'])}: {_said(fault, model)}"
        for fault in error.errors(include_input=False, include_url=False)
    ]


def _said(fault: ErrorDetails, model: type[BaseModel]) -> str:
    if fault["type"] != "extra_forbidden":
        return fault["msg"]
    *above, name = fault["loc"]
    known = _fields_at(model, above)
    close = difflib.get_close_matches(str(name), known, n=1)
    if close:
        return f"no such field; did you mean {close[0]}?"
    return f"no such field; known are {', '.join(known)}" if known else "no such field"


def _fields_at(model: Any, above: Sequence[int | str]) -> list[str]:
    """Names of the fields that may stand below a place of a file; empty where it is not known."""
    found = model
    for part in above:
        if isinstance(found, type) and issubclass(found, BaseModel):
            fields = found.model_fields
            named = (one for name, one in fields.items() if part in (name, one.alias))
            field = next(named, None)
            found = None if field is None else field.annotation
        elif get_origin(found) is not None:
            inner = [kind for kind in get_args(found) if kind is not Ellipsis]
            found = inner[-1] if inner else None
        while get_origin(found) in (Annotated, Union, UnionType):
            found = next((kind for kind in get_args(found) if kind is not NoneType), None)
    if not (isinstance(found, type) and issubclass(found, BaseModel)):
        return []
    return [one.alias or name for name, one in found.model_fields.items()]


def from_environment(name: str, text: str, environ: Mapping[str, str] | None = None) -> str:
    """``text`` with each ``env:NAME`` filled in. ``name``: what it is for, in the error. Raises
    :class:`SettingsError` for a variable that is not set, or holds what no header can."""
    env = os.environ if environ is None else environ

    def value(found: re.Match[str]) -> str:
        variable = found[1]
        told = env.get(variable, "")
        if not told or not told.isprintable() or not told.isascii():
            what = "is not set" if not told else "holds characters that no header can"
            raise SettingsError(f"{name}: the environment variable {variable} {what}")
        return told

    return FROM_ENVIRONMENT.sub(value, text)


def parse_policy(data: Any, name: str) -> Policy:
    """A policy from plain data; ``name`` says where it came from. Raises :class:`SettingsError`."""
    try:
        policy = Policy.model_validate(_mapping(data, f"policy {name}", Policy))
    except ValidationError as error:
        faults = _faults(error, Policy)
        raise SettingsError(f"policy {name}:\n  " + "\n  ".join(faults)) from None
    for app, rules in [("default", policy.default), *policy.apps.items()]:
        if unknown := set(rules.citations.forms or ()) - set(FORM_NAMES):
            raise SettingsError(
                f"policy {name}:\n  {app}: citations.forms: no such form: "
                f"{', '.join(sorted(unknown))}; allowed: {', '.join(sorted(FORM_NAMES))}"
            )
    return policy


def _explain(error: ValidationError) -> str:
    lines = ["these settings cannot be used:"]
    for fault in error.errors(include_input=False, include_url=False):
        name = str(fault["loc"][0]) if fault["loc"] else "*"
        if fault["type"] == "extra_forbidden":
            known = [*Settings.model_fields, *(f"{secret}_file" for secret in SECRETS)]
            close = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {PREFIX}{close[0].upper()}?" if close else ""
            lines.append(f"  {PREFIX}{name.upper()}: no such setting{hint}")
        else:
            lines.append(f"  {PREFIX}{name.upper()}: {fault['msg']}")
    lines.append("`groundwatch config` lists every setting with its value and meaning")
    return "\n".join(lines)


def describe(settings: Settings) -> list[tuple[str, str, str, bool]]:
    """(name, value with secrets masked, meaning, differs from the default) of every setting."""
    rows = []
    for name, field in Settings.model_fields.items():
        value = getattr(settings, name)
        shown = "" if value is None else str(value)
        rows.append(
            (
                PREFIX + name.upper(),
                _mask_url(shown),
                field.description or "",
                value != field.default,
            )
        )
    return rows


def _mask_url(value: str) -> str:
    value = re.sub(r"\bpassword=[^&]*", "password=***", value)
    head, at, tail = value.rpartition("@")
    if not at or "://" not in head:
        return value
    scheme, _, credentials = head.partition("://")
    user = credentials.partition(":")[0]
    return f"{scheme}://{user}:***@{tail}"
