"""JMESPath expressions of the policy file, and the functions that telemetry needs beside the
standard's: ``parse_json``, ``unflatten`` and ``otel_attributes``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import jmespath
import orjson
from jmespath import exceptions, functions

_DEEPEST = 32
"""Parts of a dotted name past which it is left as it is."""
_LONGEST_INDEX = 6


class ExpressionError(Exception):
    """An expression does not fit the data. The message never repeats any of it."""


def check_expression(expression: str) -> str:
    """The expression itself. Raises ValueError for one that can never work: its syntax, a function
    that does not exist, a wrong number of arguments."""
    try:
        parsed = jmespath.compile(expression).parsed
    except exceptions.JMESPathError as error:
        position = getattr(error, "lex_position", None)
        where = f" at character {position + 1}" if isinstance(position, int) else ""
        raise ValueError(f"not a JMESPath expression{where}") from None
    for call in _calls(parsed):
        _check_call(call["value"], len(call["children"]))
    return expression


def search(expression: str, data: Any) -> Any:
    """What a checked expression finds in plain JSON data. Raises :class:`ExpressionError`."""
    try:
        return jmespath.compile(expression).search(data, _OPTIONS)
    except exceptions.JMESPathTypeError as error:
        raise ExpressionError(
            f"{error.function_name}() was given the wrong type: {error.actual_type}"
        ) from None
    except Exception as error:  # noqa: BLE001 (the library passes on what Python raises on odd data)
        raise ExpressionError(f"cannot be evaluated here ({type(error).__name__})") from None


def is_true(value: Any) -> bool:
    """Truth as JMESPath has it: null, false and what is empty are not; 0 is."""
    return value is not None and value is not False and value not in ("", [], {})


def _calls(node: Any) -> Iterator[dict[str, Any]]:
    if node["type"] == "function_expression":
        yield node
    for child in node["children"]:
        # A slice has bare numbers for children.
        if isinstance(child, dict):
            yield from _calls(child)


def _check_call(name: str, given: int) -> None:
    function = Functions.FUNCTION_TABLE.get(name)
    if function is None:
        raise ValueError(
            f"no function {name}(); there are {', '.join(sorted(Functions.FUNCTION_TABLE))}"
        )
    signature = function["signature"]
    variadic = bool(signature) and bool(signature[-1].get("variadic"))
    if given < len(signature) or (given > len(signature) and not variadic):
        least = "at least " if variadic else ""
        raise ValueError(f"{name}() takes {least}{len(signature)} argument(s), not {given}")


class Functions(functions.Functions):
    """The standard's functions and ours."""

    @functions.signature({"types": ["string", "null"]})
    def _func_parse_json(self, text: str | None) -> Any:
        """The JSON in a string; null where there is none."""
        try:
            return None if text is None else orjson.loads(text)
        except orjson.JSONDecodeError:
            return None

    @functions.signature({"types": ["object", "null"]})
    def _func_unflatten(self, flat: dict[str, Any] | None) -> Any:
        """``{"a.0.b": 1}`` → ``{"a": [{"b": 1}]}``."""
        return None if flat is None else _unflatten(flat)

    @functions.signature({"types": ["array", "null"]})
    def _func_otel_attributes(self, attributes: list[Any] | None) -> Any:
        """The attributes of an OTLP span, ``[{"key": …, "value": {"stringValue": …}}]``, as a
        nested object."""
        if attributes is None:
            return None
        return _unflatten(
            {
                attribute["key"]: _otel_value(attribute.get("value"))
                for attribute in attributes
                if isinstance(attribute, dict) and isinstance(attribute.get("key"), str)
            }
        )


_OPTIONS = jmespath.Options(custom_functions=Functions())


def _unflatten(flat: dict[str, Any]) -> Any:
    nested: dict[str, Any] = {}
    # The deepest names first, so that a leaf never stands where a branch has to grow.
    for name in sorted(flat, key=lambda name: -name.count(".")):
        parts = name.split(".")
        if len(parts) > _DEEPEST:
            parts = [name]
        at = nested
        for part in parts[:-1]:
            at = at.setdefault(part, _Branch())
        at.setdefault(parts[-1], flat[name])
    return _lists(nested)


class _Branch(dict[str, Any]):
    """An object that came from dotted names, not one that was a value."""


def _lists(nested: dict[str, Any]) -> Any:
    """Branches whose names are all numbers are lists."""
    built = {
        name: _lists(value) if isinstance(value, _Branch) else value
        for name, value in nested.items()
    }
    if not built or not all(_is_index(name) for name in built):
        return built
    return [built[name] for name in sorted(built, key=int)]


def _is_index(name: str) -> bool:
    return name.isascii() and name.isdigit() and len(name) <= _LONGEST_INDEX


def _otel_value(value: Any) -> Any:
    if not isinstance(value, dict):
        return None
    for kind in ("stringValue", "boolValue", "doubleValue"):
        if kind in value:
            return value[kind]
    if "intValue" in value:
        # Protobuf's JSON writes 64-bit integers as strings.
        number = value["intValue"]
        digits = str(number).removeprefix("-")
        return int(number) if digits.isascii() and digits.isdigit() and len(digits) < 20 else None
    if "arrayValue" in value and isinstance(value["arrayValue"], dict):
        values = value["arrayValue"].get("values")
        return [_otel_value(each) for each in values] if isinstance(values, list) else None
    return None
