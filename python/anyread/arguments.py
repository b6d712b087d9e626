"""The arguments of a read: their names, their types and their ranges, checked once.

What depends on the file (a page past the last, an unknown encoding) is the core's to refuse.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple, NoReturn, TypedDict

from .errors import BadArgumentError
from .gutter import Gutter
from .paths import AnyPath, displayed

LARGEST = 2**53 - 1
"""The largest integer that JSON carries exactly; no file has as many lines."""

_KINDS = frozenset({"text", "image", "pdf", "notebook"})
# Compiled by `re` when they are first used, which most processes never do.
_MEDIA_TYPE = r"[A-Za-z]+/[A-Za-z0-9][A-Za-z0-9.+-]*"
_PAGES = r"([0-9]{1,15})(?:-([0-9]{1,15})?)?"
_TEXTS = frozenset({"encoding", "kind", "pages", "unless_version", "since_version"})


class ReadArguments(TypedDict, total=False):
    """The keyword arguments of `Reader.read` that `pages` and `read_many` take as well."""

    offset: int
    limit: int | None
    column: int
    pages: str | int | None
    encoding: str | None
    kind: str | None
    region: tuple[int, int, int, int] | None
    since_version: str | None
    gutter: Gutter | None


class Request(NamedTuple):
    """Checked arguments, as the core takes them."""

    offset: int
    limit: int | None
    column: int
    encoding: str | None
    kind: str | None
    pages: str | None
    region: tuple[int, int, int, int] | None
    unless_version: str | None
    since_version: str | None
    gutter: Gutter | None


def checked(
    path: AnyPath,
    *,
    offset: int = 1,
    limit: int | None = None,
    column: int = 1,
    pages: str | int | None = None,
    encoding: str | None = None,
    kind: str | None = None,
    region: Sequence[int] | None = None,
    unless_version: str | None = None,
    since_version: str | None = None,
    gutter: Gutter | None = None,
) -> Request:
    """Check the arguments of one read of `path`, or of several files of which it is the first.

    Raises:
        BadArgumentError: For the first argument, in order, that no file could take.
    """
    if type(offset) is not int or not -LARGEST <= offset <= LARGEST:
        _refuse(path, "offset", offset, f"an integer from -{LARGEST:,} to {LARGEST:,}")
    if limit is not None and (type(limit) is not int or not 1 <= limit <= LARGEST):
        _refuse(path, "limit", limit, f"an integer from 1 to {LARGEST:,}, or None")
    if type(column) is not int or not 0 <= column <= LARGEST:
        _refuse(path, "column", column, f"an integer from 1 to {LARGEST:,}")
    if pages is not None:
        pages = _page_range(path, pages)
    if encoding is not None:
        _check_encoding(path, encoding)
    if kind is not None:
        _check_kind(path, kind)
    if region is not None:
        _check_region(path, region)
    if unless_version is not None and not _is_well_formed(unless_version):
        _refuse(path, "unless_version", unless_version, "the `version` of an earlier result")
    if since_version is not None and not _is_well_formed(since_version):
        _refuse(path, "since_version", since_version, "the `version` of an earlier result")
    if gutter is not None and not isinstance(gutter, Gutter):
        _refuse(path, "gutter", gutter, "a Gutter, such as Gutter.TAB or Gutter.NONE")
    part = None if region is None else (region[0], region[1], region[2], region[3])
    return Request(
        offset or 1,
        limit,
        column or 1,
        encoding,
        kind,
        pages or None,
        part,
        unless_version,
        since_version,
        gutter,
    )


def _is_well_formed(value: object) -> bool:
    """Tell whether a value is a text without lone surrogates, which no UTF-8 has."""
    if not isinstance(value, str):
        return False
    # Nearly all are ASCII, and every page that follows another passes a version.
    return value.isascii() or not any("\ud800" <= char <= "\udfff" for char in value)


def _page_range(path: AnyPath, pages: object) -> str:
    """Check the pages asked for, of which one may be a number, and return them as text."""
    accepted = 'page numbers from 1: "3", "1-5" or "2-"'
    if type(pages) is int and 1 <= pages <= LARGEST:
        return str(pages)
    if not isinstance(pages, str):
        _refuse(path, "pages", pages, accepted)
    if not pages:
        return pages
    found = re.fullmatch(_PAGES, pages.strip())
    if found is None or int(found[1]) < 1:
        _refuse(path, "pages", pages, accepted)
    if found[2] is not None and int(found[2]) < int(found[1]):
        _refuse(path, "pages", pages, f'in rising order, such as "{int(found[2]) or 1}-{int(found[1])}"')
    return pages


def _check_encoding(path: AnyPath, encoding: object) -> None:
    if not _is_well_formed(encoding) or not str(encoding).strip():
        _refuse(path, "encoding", encoding, 'the name of an encoding, such as "utf-8" or "cp1252"')


def _check_kind(path: AnyPath, kind: object) -> None:
    if isinstance(kind, str) and (kind in _KINDS or re.fullmatch(_MEDIA_TYPE, kind)):
        return
    accepted = '"text", "image", "pdf", "notebook" or a media type such as "text/plain"'
    _refuse(path, "kind", kind, accepted)


def _check_region(path: AnyPath, region: object) -> None:
    if (
        not isinstance(region, tuple | list)
        or len(region) != 4
        or any(type(edge) is not int or abs(edge) > LARGEST for edge in region)
    ):
        _refuse(path, "region", region, "four integers (x, y, width, height)")
    if region[2] < 1 or region[3] < 1:
        _refuse(path, "region", region, "at least 1 wide and high")


def _refuse(path: AnyPath, argument: str, value: object, reason: str) -> NoReturn:
    value = shown(value, is_text=argument in _TEXTS)
    raise BadArgumentError(displayed(path), argument=argument, value=value, reason=reason)


def shown(value: Any, *, is_text: bool = False) -> str:
    """Write a refused value as Python would, at most 80 characters of it.

    Args:
        value: The value.
        is_text: Whether the argument takes text, which then needs no quotes.
    """
    # A huge integer has no decimal repr at all (sys.set_int_max_str_digits).
    if isinstance(value, int) and value.bit_length() > 256:
        return f"an integer of {value.bit_length():,} bits"
    text = repr(value)
    if is_text and isinstance(value, str):
        text = text[1:-1].strip() or text
    return text if len(text) <= 80 else f"{text[:79]}…"
