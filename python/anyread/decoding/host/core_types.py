"""What calls of the core return: what a decoder sends is compared with it.

`core_types.json` is made from the declarations of `_native.pyi` by `rust/declared_types.py`. A function that
is added needs no line here; `decoding/child/core_file.py` says how values are sent.
"""

from __future__ import annotations

import ast
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from inspect import signature
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

from anyread.decoding.protocol import MalformedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from anyread.errors import ReadError

_NUMBERS = range(-(1 << 63), 1 << 64)
"""Those that the core has."""


@dataclass
class Answer:
    """An answer of a decoder while it is compared."""

    data: bytes
    """The bytes among the values, in order; those that are left."""
    last: int
    """The highest number that a row, a slide or the like may have."""
    method: Callable[[str, int], object]
    """Returns a method ("Json.find") of the object with a number."""

    def value(self, found: object, converters: Converters) -> Any:
        """Return a value that was sent.

        Raises:
            MalformedError: It has another type, or a number is out of range.
        """
        convert = converters.get(type(found))
        if convert is None:
            raise MalformedError(f"a value is of the type {type(found).__name__}")
        return convert(self, found)

    def values(self, found: list[Any], each: Iterable[Converters]) -> list[Any]:
        """Return several values.

        Raises:
            MalformedError: As `value`, and if there are more or fewer.
        """
        try:
            return [self.value(item, converters) for item, converters in zip(found, each, strict=True)]
        except ValueError as error:
            raise MalformedError("there are more or fewer values than declared") from error


Converters: TypeAlias = "dict[type, Callable[[Answer, Any], Any]]"
"""What makes a value of what JSON has for it, by the type of that."""


class Received:
    """An object of the core as a decoder sends it: its attributes, and methods that call the decoder."""

    def __init__(self, **members: object) -> None:
        self.__dict__.update(members)


@cache
def returned(name: str) -> Converters:
    """Return the converters for the result of a function, a class or a method ("Json.find")."""
    return of_text(_declared()[0][name])


def data_of(error: type[ReadError]) -> dict[str, Converters]:
    """Return the converters for the data of an error."""
    parameters = signature(error).parameters.values()
    return {each.name: of_text(each.annotation) for each in parameters if each.kind is each.KEYWORD_ONLY}


@cache
def of_text(annotation: str) -> Converters:
    """Return the converters for a type."""
    return _converters(ast.parse(annotation, mode="eval").body)


@cache
def _declared() -> tuple[dict[str, str], dict[str, dict[str, str]], dict[str, str]]:
    """Return the type of the result of each call, those of the attributes of each class, and the aliases."""
    declared = json.loads((files("anyread.decoding.host") / "core_types.json").read_bytes())
    return declared["calls"], declared["classes"], declared["aliases"]


def _converters(node: ast.expr) -> Converters:
    match node:
        case ast.BinOp(left=left, right=right):
            return _converters(left) | _converters(right)
        case ast.Constant(value=None):
            return {type(None): _same}
        case ast.Name(id=name):
            alias = _declared()[2].get(name)
            return of_text(alias) if alias else _SIMPLE.get(name) or {list: _object(name)}
        case ast.Subscript(value=ast.Name(id=name), slice=inside):
            return _inside(name, inside)
    raise TypeError(f"values of this type cannot be sent: {ast.unparse(node)}")


def _inside(name: str, inside: ast.expr) -> Converters:
    match name, inside:
        case "Literal", choices:
            return {str: _one_of(ast.literal_eval(choices))}
        case "list", item:
            return {list: _sequence(list, item)}
        case "tuple", ast.Tuple(elts=[item, ast.Constant()]):
            return {list: _sequence(tuple, item)}
        case "tuple", ast.Tuple(elts=items):
            each = [*map(_converters, items)]
            return {list: lambda answer, found: tuple(answer.values(found, each))}
    raise TypeError(f"values of this type cannot be sent: {name}[{ast.unparse(inside)}]")


def _same(_: Answer, found: Any) -> Any:
    return found


def _number(_: Answer, found: int) -> int:
    if found not in _NUMBERS:
        raise MalformedError("a number is out of range")
    return found


def _text(_: Answer, found: str) -> str:
    # JSON may have halves of characters, which no text of the core has.
    if not found.isascii() and not found.encode("utf-8", "replace").decode() == found:
        raise MalformedError("a text has a lone surrogate")
    return found


def _bytes(answer: Answer, found: int) -> bytes:
    if not 0 <= found <= len(answer.data):
        raise MalformedError("some bytes are missing")
    taken, answer.data = answer.data[:found], answer.data[found:]
    return taken


_SIMPLE: dict[str, Converters] = {
    "int": {int: _number},
    "float": {float: _same},
    "bool": {bool: _same},
    "str": {str: _text},
    "bytes": {int: _bytes},
}


def _one_of(choices: object) -> Callable[[Answer, str], str]:
    known = choices if isinstance(choices, tuple) else (choices,)

    def convert(_: Answer, found: str) -> str:
        if found not in known:
            raise MalformedError("a text is none of the declared ones")
        return found

    return convert


def _sequence(kind: type[list[Any] | tuple[Any, ...]], item: ast.expr) -> Callable[[Answer, Any], Any]:
    converters = _converters(item)
    is_numbered = isinstance(item, ast.Name) and "number" in _declared()[1].get(item.id, ())

    def convert(answer: Answer, found: list[Any]) -> Any:
        values = kind([answer.value(each, converters) for each in found])
        if is_numbered:
            numbers = [0, *(each.number for each in values), answer.last + 1]
            if any(number >= following for number, following in pairwise(numbers)):
                raise MalformedError("the numbers of rows or the like are not in order")
        return values

    return convert


def _object(kind: str) -> Callable[[Answer, Any], Any]:
    @cache
    def attributes() -> dict[str, Converters]:
        # When it is used: a class may refer to itself.
        return {name: of_text(each) for name, each in _declared()[1][kind].items()}

    methods = [name for name in _declared()[0] if name.startswith(f"{kind}.")]

    def convert(answer: Answer, found: list[Any]) -> Received:
        each = attributes()
        if not methods:
            return Received(**dict(zip(each, answer.values(found, each.values()), strict=True)))
        number, *values = answer.values(found, (_SIMPLE["int"], *each.values()))
        own = {name.partition(".")[2]: answer.method(name, number) for name in methods}
        return Received(**dict(zip(each, values, strict=True)), **own)

    return convert
