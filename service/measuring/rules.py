"""The rules file of gates: YAML → closed models, or errors that say where and what. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Annotated, Any, Literal, Self

import yaml
from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from service.estimates.differences import Demand
from service.estimates.rates import RATES

NEW = "new"
PREVIOUS = "previous"
"""Stand for releases: the one in question, and the one that was first seen before it."""
KINDS = ("measure", "no_regression_of", "rate")
"""A rule has exactly one of these keys, which says what kind it is."""

Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
GateName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$")]
Name = Annotated[str, Field(min_length=1, max_length=200)]


class BadRules(ValueError):
    """Each line of the message: ``file, line n: place: what is wrong``."""


class _Rule(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)
    name: Name | None = None


class _OfRun(_Rule):
    """``of``: a run file, beside the rules file unless its path is absolute; ``questions``,
    ``tag``: only critical ones, only those with this tag."""

    of: Name
    questions: Literal["all", "critical"] = "all"
    tag: Name | None = None


class _Bounded(_Rule):
    """At least, or at most, a bound."""

    at_least: float | None = Field(None, allow_inf_nan=False)
    at_most: float | None = Field(None, allow_inf_nan=False)

    @property
    def is_floor(self) -> bool:
        return self.at_least is not None

    @property
    def bound(self) -> float:
        return (self.at_most or 0.0) if self.at_least is None else self.at_least

    @property
    def _sign(self) -> str:
        return f"{'≥' if self.is_floor else '≤'} {self.bound:g}"


class MeasureRule(_OfRun, _Bounded):
    """The mean of a measure over at least ``min_n`` questions."""

    measure: Name
    min_n: int = Field(30, ge=1)

    @model_validator(mode="after")
    def _has_one_bound(self) -> Self:
        _one_of(self, "at_least", "at_most")
        return self

    @property
    def title(self) -> str:
        return self.name or f"{_scope(self)}{self.measure} {self._sign}"


class RegressionRule(_OfRun):
    """No question is worse in ``of`` than in ``against``, another run file."""

    no_regression_of: Name
    against: Name

    @property
    def title(self) -> str:
        return self.name or f"no regression of {_scope(self)}{self.no_regression_of}"


class RateRule(_Bounded):
    """A live rate of a release, over the last ``days``: against a bound, or against ``ratio`` times
    the rate of another release plus ``margin``."""

    rate: str
    app: Name | None = None
    release: Name = NEW
    at_least: Share | None = None
    at_most: Share | None = None
    at_most_ratio: float | None = Field(None, gt=0, allow_inf_nan=False)
    margin: Share | None = None
    against: Name | None = None
    confidence: float = Field(0.95, ge=0.5, le=0.9999)
    days: int = Field(14, ge=1, le=400)

    @field_validator("rate")
    @classmethod
    def _is_known(cls, rate: str) -> str:
        if rate not in RATES:
            raise PydanticCustomError("rate", "{said}", {"said": _unknown(rate, RATES)})
        return rate

    @model_validator(mode="after")
    def _has_one_bound(self) -> Self:
        _one_of(self, "at_least", "at_most", "at_most_ratio")
        if self.at_most_ratio is None and (self.margin, self.against) != (None, None):
            raise _fault("margin and against go with at_most_ratio")
        if self.at_most_ratio is not None and self.margin is None:
            raise _fault(
                "at_most_ratio needs a margin, a share that is added (0.002), so that 0 against 0 "
                "can be decided"
            )
        return self

    @property
    def title(self) -> str:
        if self.at_most_ratio is not None:
            bound = f"≤ {self.at_most_ratio:g} × {self.against or PREVIOUS} + {self.margin:g}"
        else:
            bound = self._sign
        return self.name or f"{self.rate} of {self.release} {bound}"

    @property
    def demand(self) -> Demand:
        """Of a rule that holds two releases against each other."""
        return Demand(self.at_most_ratio or 1.0, self.margin or 0.0, self.confidence)


Rule = MeasureRule | RegressionRule | RateRule


def _kind(rule: Any) -> str | None:
    found = [kind for kind in KINDS if isinstance(rule, Mapping) and kind in rule]
    return found[0] if len(found) == 1 else None


_AnyRule = Annotated[
    Annotated[MeasureRule, Tag("measure")]
    | Annotated[RegressionRule, Tag("no_regression_of")]
    | Annotated[RateRule, Tag("rate")],
    Discriminator(
        _kind,
        custom_error_type="kind",
        custom_error_message=f"a rule has exactly one of {', '.join(KINDS)}",
    ),
]


class Rules(BaseModel):
    """``gates``: name → its rules, all of which have to hold."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)
    gates: dict[GateName, tuple[_AnyRule, ...]]

    @field_validator("gates")
    @classmethod
    def _none_is_empty(
        cls, gates: dict[str, tuple[_AnyRule, ...]]
    ) -> dict[str, tuple[_AnyRule, ...]]:
        if not gates or not all(gates.values()):
            raise _fault("a gate without a rule would always pass: give it one, or take it out")
        return gates


def read_rules(text: str, name: str) -> Rules:
    """``name``: of the file, for errors. Raises :class:`BadRules`."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise BadRules(f"{name}{_yaml_fault(error)}") from None
    if twice := list(_repeated(root)):
        raise BadRules("\n".join(f"{name}, line {line}: {key}: twice" for key, line in twice))
    try:
        return Rules.model_validate(data)
    except ValidationError as error:
        faults = error.errors(include_input=False, include_url=False)
        raise BadRules("\n".join(_told(name, root, fault) for fault in faults)) from None


def _one_of(rule: BaseModel, *names: str) -> None:
    if sum(getattr(rule, name) is not None for name in names) != 1:
        raise _fault(f"needs exactly one of {', '.join(names)}")


def _fault(message: str) -> PydanticCustomError:
    return PydanticCustomError("rule", "{said}", {"said": message})


def _scope(rule: _OfRun) -> str:
    critical = "critical " if rule.questions == "critical" else ""
    return critical + (f"{rule.tag} " if rule.tag else "")


def _unknown(name: str, known: Mapping[str, Any]) -> str:
    close = get_close_matches(name, known, 1)
    hint = f"did you mean {close[0]}?" if close else f"known are {', '.join(sorted(known))}"
    return f"unknown {name[:60]!a}; {hint}"


def _yaml_fault(error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    where = f", line {mark.line + 1}" if mark is not None else ""
    return f"{where}: not valid YAML: {getattr(error, 'problem', None) or 'unreadable'}"


def _repeated(node: yaml.Node | None, visited: set[int] | None = None) -> Iterator[tuple[str, int]]:
    """Keys that stand twice in one mapping: the first would be lost silently. An alias leads to a
    node again, of which once is enough, as it may lead to itself."""
    visited = set() if visited is None else visited
    if id(node) in visited:
        return
    visited.add(id(node))
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if key.value in seen:
                yield str(key.value), key.start_mark.line + 1
            seen.add(key.value)
            yield from _repeated(value, visited)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _repeated(item, visited)


def _told(name: str, root: yaml.Node | None, fault: Any) -> str:
    place, line, model = _located(root, fault["loc"])
    message = _WORDS.get(fault["type"], str(fault["msg"]))
    if fault["type"] == "extra_forbidden" and model is not None:
        message = _unknown(str(fault["loc"][-1]), model.model_fields)
        place = place.rpartition(".")[0]
    where = f"{name}, line {line}: " + (f"{place}: " if place else "")
    return where + message


_MODELS: Mapping[str, type[BaseModel]] = {
    "measure": MeasureRule, "no_regression_of": RegressionRule, "rate": RateRule,
}  # fmt: skip


_WORDS = {
    "model_type": "wanted a mapping: gates: {name: [rule, …]}",
    "dict_type": "wanted a mapping of names to lists of rules",
    "tuple_type": "wanted a list of rules",
    "missing": "required, but missing",
    "string_pattern_mismatch": "a gate's name has letters, digits, '.', '_' and '-', 64 at most",
}


def _located(
    root: yaml.Node | None, loc: tuple[int | str, ...]
) -> tuple[str, int, type[BaseModel] | None]:
    """Place by name, line from 1 on, and the model whose field it is. pydantic names the kind of a
    rule as a step of the way, which no node of the file is."""
    node, place = root, ""
    model: type[BaseModel] = Rules
    line = node.start_mark.line + 1 if node is not None else 1
    for step in loc:
        if step == "[key]":  # pydantic's word for the name itself
            continue
        if isinstance(node, yaml.SequenceNode) and isinstance(step, int):
            node = node.value[step]
            place, line = f"{place}[{step}]", node.start_mark.line + 1
            continue
        if model is Rules and isinstance(node, yaml.MappingNode) and place.endswith("]"):
            model = _MODELS.get(str(step), Rules)
            continue
        found = _entry(node, str(step))
        place = f"{place}.{step}" if place else str(step)
        if found is not None:
            key, node = found
            line = key.start_mark.line + 1
    return place, line, model


def _entry(node: yaml.Node | None, name: str) -> tuple[yaml.Node, yaml.Node] | None:
    if not isinstance(node, yaml.MappingNode):
        return None
    return next(((key, value) for key, value in node.value if key.value == name), None)
