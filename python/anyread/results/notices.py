"""Notices: what a reader of a page should know and cannot see.

The core and the formats find them and pass a code and facts; each code has one function here, which words it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from anyread.errors.base import Argument, counted

from .values import Value

_Parts: TypeAlias = tuple[str | Argument, ...]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Notice(Value):
    """Tell something about a file that its text does not show."""

    code: str
    """A stable word for programs: "lossy", "clipped", "empty_file", "changed_since" …"""
    message: str
    """One sentence."""
    data: dict[str, Any] = field(default_factory=dict)
    """The facts of the sentence by name."""

    def message_as(self, spelled: Callable[[Argument], str]) -> str:
        """Word the sentence for a caller that does not pass arguments as Python does; `spelled` writes each.

        A notice whose code is not one of this library's keeps its own message.
        """
        worded = _SENTENCES.get(self.code)
        return self.message if worded is None else _joined(worded(**self.data), spelled)


def make_notice(code: str, /, **facts: Any) -> Notice:
    """Make the notice of a code from its facts."""
    return Notice(code, _joined(_SENTENCES[code](**facts), str), facts)


def _joined(parts: _Parts | str, spelled: Callable[[Argument], str]) -> str:
    if isinstance(parts, str):
        return parts
    return "".join(part if isinstance(part, str) else spelled(part) for part in parts)


# -- any file


def _changed_since(*, version: str) -> str:  # noqa: ARG001 - a fact for programs
    return "the file may have changed since the page before this one was read"


def _path_repaired(*, resolved_path: str) -> str:
    return f"no file has exactly that name; `{resolved_path}` was read"


def _link_followed(*, resolved_path: str) -> str:
    return f"a symbolic link leads to `{resolved_path}`"


def _name_content_mismatch(*, promised: str, media_type: str) -> str:
    return f"the name promises {promised}, the content is {media_type}"


def _ignored_argument(*, argument: str, media_type: str | None = None, kind: str | None = None) -> _Parts:
    ignored = f"the argument `{argument}` was ignored, because the file is {media_type or kind}"
    if media_type is None:
        return (ignored,)
    return (ignored, "; pass ", Argument("kind", "text"), " to decode its bytes as text")


# -- text


def _empty_file() -> str:
    return "the file is empty"


def _page_full(*, lines: int, limit: int) -> str:
    return f"the page reached its limit of tokens or bytes after {lines:,} of the {limit:,} lines requested"


def _lossy(*, encoding: str, line: int | None = None) -> str:
    start = "" if line is None else f"from line {line:,} on "
    return f"{start}some bytes are not valid {encoding} and are shown as substitutes"


_DECLARED_BY = {
    "charset_rule": "the `@charset` rule",
    "xml_declaration": "the XML declaration",
    "meta_element": "a `<meta>` element",
    "comment": "a comment in the first two lines",
    "vim_modeline": "a Vim modeline",
    "scriptencoding": "`scriptencoding`",
    "inputenc": "`inputenc`",
    "catalog_header": "the header of a message catalog",
    "emacs_variables": "Emacs' local variables",
}


def _declared_encoding(*, encoding: str, declared: str, declared_by: str) -> str:  # noqa: ARG001
    return f"the text is decoded as {declared}, which {_DECLARED_BY[declared_by]} declares"


def _declaration_ignored(*, encoding: str, declared: str | None, declared_by: str, decodable: bool) -> str:
    if declared is None:
        name = "an encoding of an unknown name"
    else:
        name = f"{declared}, which {'the bytes contradict' if decodable else 'anyread cannot decode'}"
    return f"{_DECLARED_BY[declared_by]} declares {name}; read as {encoding}"


def _low_confidence(*, encoding: str, confidence: float) -> _Parts:
    guess = f"the encoding {encoding} is a guess ({confidence:.0%} sure)"
    return (guess, "; pass `", Argument("encoding"), "` if you know it")


def _mixed_line_endings() -> str:
    return "some lines end with CR LF and some with LF alone"


def _nul(*, count: int) -> str:
    return f"the text holds {counted(count, 'NUL characters')}"


def _control_characters(*, count: int) -> str:
    return f"the text holds {counted(count, 'control characters')}"


def _bidi(*, count: int) -> str:
    return f"the text holds {counted(count, 'bidirectional control characters')}"


def _invisible(*, count: int) -> str:
    return f"the text holds {counted(count, 'invisible characters')}"


def _clipped(*, count: int | None = None, pages: Sequence[int] = ()) -> str:
    if count is None:
        return f"the text of {_pages(pages)} is cut to the budget"
    return f"{counted(count, 'lines')} {'is' if count == 1 else 'are'} clipped"


# `bytes` of a stream, or `cells` of a notebook.
def _output_truncated(**facts: int) -> str:
    if "cells" in facts:
        return f"the texts of {counted(facts['cells'], 'cells')} are cut"
    return f"only the first {facts['bytes']:,} bytes of this stream were read"


# -- images


def _repaired_image() -> str:
    return "the file is truncated; what is missing at its end is shown black or blurred"


def _values_spread(*, black: float, white: float) -> str:
    return f"its values are spread out: {black:,.6g} is shown as black and {white:,.6g} as white"


def _animated(*, frames: int) -> str:
    return f"the first of {frames:,} frames is shown"


# -- PDFs


def _pages(numbers: Sequence[int]) -> str:
    listed = ", ".join(f"{number:,}" for number in numbers)
    return f"page {listed}" if len(numbers) == 1 else f"pages {listed}"


def _pages_are(numbers: Sequence[int]) -> str:
    return f"{_pages(numbers)} {'is' if len(numbers) == 1 else 'are'}"


def _missing_font(*, pages: Sequence[int], fonts: Sequence[str]) -> str:
    listed = ", ".join(fonts)
    return f"{listed}: not in the file nor on this machine, so {_pages_are(pages)} shown as text only"


def _no_text_layer(*, pages: Sequence[int]) -> str:
    return f"{_pages_are(pages)} without a text layer"


def _unreadable_text(*, pages: Sequence[int]) -> str:
    return f"the text layer of {_pages_are(pages)} mostly control or private-use characters"


def _damaged(*, pages: Sequence[int]) -> str:
    return f"{_pages_are(pages)} damaged and not shown"


def _pages_clamped(*, page_count: int) -> str:
    return f"the file ends with page {page_count:,}"


def _degraded(*, reason: str, **facts: int) -> str:
    less = "pages are shown as text only" if reason == "no_images" else "the document itself is not sent"
    return f"{less}: {degradation(reason, **facts)}"


def degradation(reason: str, /, **facts: int) -> str:
    """Say as a clause why a model gets less of a PDF than it could take."""
    return _DEGRADATIONS[reason].format(**facts)


_DEGRADATIONS = {
    "encrypted": "models do not take encrypted documents",
    "too_many_pages": "{page_count:,} pages are more than {maximum:,}",
    "too_many_bytes": "{size_bytes:,} bytes are more than {maximum:,}",
    "too_many_tokens": "about {tokens:,} tokens are more than {maximum:,}",
    "damaged_page": "page {page:,} is damaged",
    "no_images": "the model takes no pictures",
}


# -- notebooks


def _broken_json(*, line: int, column: int, fault: str, detail: str | None) -> str:
    reason = {
        "too_large": "it is too large for one",
        "no_cells": "it has neither cells nor worksheets",
        "not_a_list": f"its {detail} are not a list",
        "syntax": f"{detail}",
    }[fault]
    return f"it is no notebook and is shown as text: {reason}, at line {line:,}, byte {column:,}"


def _no_cells() -> str:
    return "the notebook has no cells"


_SENTENCES: dict[str, Callable[..., _Parts | str]] = {
    "animated": _animated,
    "bidi": _bidi,
    "broken_json": _broken_json,
    "changed_since": _changed_since,
    "clipped": _clipped,
    "control_characters": _control_characters,
    "damaged": _damaged,
    "declaration_ignored": _declaration_ignored,
    "declared_encoding": _declared_encoding,
    "degraded": _degraded,
    "empty_file": _empty_file,
    "ignored_argument": _ignored_argument,
    "invisible": _invisible,
    "link_followed": _link_followed,
    "lossy": _lossy,
    "low_confidence": _low_confidence,
    "missing_font": _missing_font,
    "mixed_line_endings": _mixed_line_endings,
    "name_content_mismatch": _name_content_mismatch,
    "no_cells": _no_cells,
    "no_text_layer": _no_text_layer,
    "nul": _nul,
    "output_truncated": _output_truncated,
    "page_full": _page_full,
    "pages_clamped": _pages_clamped,
    "path_repaired": _path_repaired,
    "repaired_image": _repaired_image,
    "unreadable_text": _unreadable_text,
    "values_spread": _values_spread,
}
