"""A message's types: whether a value is of them, and the same for the scripts that read it."""

from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints, is_typeddict

PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", NoneType: "null", Any: "any"}


def fault(value: Any, kind: Any, place: str = "") -> str:
    """What of a JSON value is not of a type, with its place; empty where all of it is. A tuple travels as a list."""
    inner = get_args(kind)
    if kind is Any:
        return ""
    if is_typeddict(kind):
        fields = get_type_hints(kind)
        if not isinstance(value, dict) or value.keys() != fields.keys():
            wrong = sorted({*value} ^ {*fields}) if isinstance(value, dict) else value
            return f"{place} is no {kind.__name__}: {wrong!r}"
        return next(filter(None, (fault(value[name], of, f"{place}.{name}") for name, of in fields.items())), "")
    if get_origin(kind) is Literal:
        return "" if value in inner else f"{place} is {value!r}, not one of {inner}"
    if get_origin(kind) in (Union, UnionType):
        faults = [fault(value, one, place) for one in inner]
        return "" if "" in faults else f"{place} is none of them: {faults}"
    if get_origin(kind) is dict:
        if not isinstance(value, dict):
            return f"{place} is {value!r}"
        return next(filter(None, (fault(one, inner[1], f"{place}.{name}") for name, one in value.items())), "")
    if get_origin(kind) in (list, tuple):
        of = [inner[0]] * len(value) if get_origin(kind) is list and isinstance(value, list) else list(inner)
        if not isinstance(value, list) or len(value) != len(of):
            return f"{place} is {value!r}"
        return next(filter(None, (fault(one, of[at], f"{place}[{at}]") for at, one in enumerate(value))), "")
    fitting = (int, float) if kind is float else kind
    whole = isinstance(value, fitting) and isinstance(value, bool) == (kind is bool)
    return "" if whole else f"{place} is {value!r}, no {PLAIN[kind]}"


def script(kind: Any) -> str:
    """A type as TypeScript writes it."""
    inner = get_args(kind)
    if kind in PLAIN:
        return PLAIN[kind]
    if is_typeddict(kind):
        return str(kind.__name__)
    if get_origin(kind) is Literal:
        return " | ".join(f'"{value}"' for value in inner)
    if get_origin(kind) in (Union, UnionType):
        return " | ".join(map(script, inner))
    if get_origin(kind) is dict:
        return f"Record<{script(inner[0])}, {script(inner[1])}>"
    if get_origin(kind) is list:
        return f"{script(inner[0])}[]"
    return f"[{', '.join(map(script, inner))}]"


def declared(*kinds: Any) -> str:
    """TypedDicts as TypeScript's types."""
    return "\n".join(
        "".join(
            [f"export type {kind.__name__} = {{\n"]
            + [f"  {name}: {script(of)};\n" for name, of in get_type_hints(kind).items()]
            + ["};\n"]
        )
        for kind in kinds
    )
