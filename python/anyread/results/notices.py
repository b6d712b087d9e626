"""Notices: facts about a page that a caller should know and cannot see in it.

The core and the formats report a code and facts; one function per code, below, writes the sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from anyread.errors.base import Argument, counted, one_line, quoted
from anyread.values import Value

_Parts: TypeAlias = tuple[str | Argument, ...]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Notice(Value):
    """A fact about a file that its text does not show."""

    code: str
    """A stable identifier for programs: "lossy", "clipped", "empty_file", "changed_since", …"""
    message: str
    """One sentence."""
    data: dict[str, Any] = field(default_factory=dict)
    """The values in the sentence, by name."""

    def message_as(self, spelled: Callable[[Argument], str]) -> str:
        """Return the sentence with its arguments in the syntax of another caller; `spelled` formats each.

        A notice with an unknown code keeps its message.
        """
        worded = _SENTENCES.get(self.code)
        return self.message if worded is None else _joined(worded(**self.data), spelled)


def make_notice(code: str, /, **facts: Any) -> Notice:
    """Return the notice for a code and its facts."""
    return Notice(code, _joined(_SENTENCES[code](**facts), str), facts)


def _joined(parts: _Parts | str, spelled: Callable[[Argument], str]) -> str:
    if isinstance(parts, str):
        return parts
    return "".join(part if isinstance(part, str) else spelled(part) for part in parts)


# -- any file


def _changed_since(*, version: str) -> str:  # noqa: ARG001 - a fact for programs
    return "the file may have changed since the previous page was read"


def _path_repaired(*, resolved_path: str) -> str:
    return f"no file has exactly that name; {quoted(resolved_path)} was read"


def _path_as_place(*, place: str) -> str:
    return f"no file has that name; it was read as the place {quoted(place)}"


def _link_followed(*, resolved_path: str) -> str:
    return f"the path is a symbolic link to {quoted(resolved_path)}"


def _name_content_mismatch(*, promised: str, media_type: str) -> str:
    return f"the extension is that of {promised}, but the content is {media_type}"


def _ignored_argument(*, argument: str, media_type: str) -> _Parts:
    ignored = f"the argument `{argument}` was ignored, because the file is {media_type}"
    return (ignored, "; pass ", Argument("kind", "text"), " to decode its bytes as text")


def _window_of_pages(*, unit: str, pages: str) -> _Parts:
    return (f"`offset` and `limit` count {unit} of this file; the same is ", Argument("pages", pages))


# -- text


def _empty_file() -> str:
    return "the file is empty"


def _page_full(*, lines: int, limit: int) -> str:
    return f"the page reached its token or byte limit after {lines:,} of the {limit:,} requested lines"


def _literal_pattern() -> str:
    return "the pattern was looked for letter by letter, not as a regular expression"


def _gzip_damaged(*, reason: str) -> str:
    return f"the text of this gzip file may be incomplete or wrong: {reason}"


def _section_goes_on(*, first: int, last: int, shown: int) -> _Parts:
    said = f"the section is lines {first:,}-{last:,}, of which {shown:,} are shown; the next are "
    return (said, Argument("offset", first + shown), ", ", Argument("limit", last + 1 - first - shown))


def _lossy(*, encoding: str, line: int | None = None) -> str:
    start = "" if line is None else f"starting at line {line:,}, "
    return f"{start}some bytes are not valid {encoding} and are shown as U+FFFD"


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


def _declared_encoding(*, encoding: str, declared: str, declared_by: str) -> str:  # noqa: ARG001 - a fact for programs
    return f"the text is decoded as {declared}, which {_DECLARED_BY[declared_by]} declares"


def _declaration_ignored(*, encoding: str, declared: str | None, declared_by: str, decodable: bool) -> str:
    if declared is None:
        name = "an unknown encoding"
    else:
        name = f"{declared}, which {'the bytes contradict' if decodable else 'is not supported'}"
    return f"{_DECLARED_BY[declared_by]} declares {name}; decoded as {encoding}"


def _low_confidence(*, encoding: str, confidence: float) -> _Parts:
    guess = f"the encoding {encoding} is a guess ({confidence:.0%} confidence)"
    return (guess, "; pass `", Argument("encoding"), "` if you know it")


def _mixed_line_endings() -> str:
    return "some lines end with CR LF and some with LF"


def _nul(*, count: int) -> str:
    return f"the text contains {counted(count, 'NUL characters')}"


def _control_characters(*, count: int) -> str:
    return f"the text contains {counted(count, 'control characters')}"


def _bidi(*, count: int) -> str:
    return f"the text contains {counted(count, 'bidirectional control characters')}"


def _invisible(*, count: int) -> str:
    return f"the text contains {counted(count, 'invisible characters')}"


def _clipped(*, count: int | None = None, pages: Sequence[int] = ()) -> str:
    if count is None:
        return f"the text of {_pages(pages)} is cut to the budget"
    return f"{counted(count, 'lines')} {'is' if count == 1 else 'are'} clipped"


def _over_budget(*, used: int, budget: int, unit: str) -> str:
    return f"the least that a page can show takes {counted(used, unit)}, and the budget is {budget:,}"


def _stopped_by_time() -> str:
    return "the page ends here because the time for the read is over"


# The facts are the `bytes` of a stream or the `cells` of a notebook.
def _output_truncated(**facts: int) -> str:
    if "cells" in facts:
        return f"the texts of {counted(facts['cells'], 'cells')} are cut"
    return f"only the first {facts['bytes']:,} bytes of this stream were read"


# -- images


def _repaired_image() -> str:
    return "the file is truncated; the missing part at its end is shown black or blurred"


def _values_spread(*, black: float, white: float) -> str:
    return f"pixel values are scaled: {black:,.6g} is shown as black and {white:,.6g} as white"


def _animated(*, frames: int) -> str:
    return f"only the first of {frames:,} frames is shown"


# -- PDFs


def _pages(numbers: Sequence[int]) -> str:
    listed = ", ".join(f"{number:,}" for number in numbers)
    return f"page {listed}" if len(numbers) == 1 else f"pages {listed}"


def _pages_are(numbers: Sequence[int]) -> str:
    return f"{_pages(numbers)} {'is' if len(numbers) == 1 else 'are'}"


def _missing_font(*, pages: Sequence[int], fonts: Sequence[str]) -> str:
    listed = ", ".join(fonts)
    image = "its image is" if len(pages) == 1 else "their images are"
    return f"{_pages(pages)}: {image} not shown or incomplete, because of missing fonts: {listed}"


def _no_text_layer(*, pages: Sequence[int]) -> str:
    return f"{_pages(pages)} {'has' if len(pages) == 1 else 'have'} no text layer"


def _unreadable_text(*, pages: Sequence[int]) -> str:
    return f"the text layer of {_pages(pages)} consists mostly of control or private-use characters"


def _text_only(*, pages: Sequence[int]) -> _Parts:
    first, last = pages[0], pages[-1]
    chosen = f"{first}-{last}" if 1 < len(pages) == last - first + 1 else str(first)
    them = "it" if len(pages) == 1 else "them"
    return f"{_pages_are(pages)} shown as text; to see {them}, pass the path and ", Argument("pages", chosen)


def _damaged(*, pages: Sequence[int]) -> str:
    return f"{_pages_are(pages)} damaged and not shown"


_HIDING = {
    "invisible": "invisible",
    "white": "white on white",
    "tiny": "under 1 point",
    "outside": "outside of the page (left out)",
}


def _hidden_text(*, pages: Sequence[int], ways: Sequence[str]) -> str:
    has = "has" if len(pages) == 1 else "have"
    return f"{_pages(pages)} {has} text that people do not see: {', '.join(_HIDING[way] for way in ways)}"


def _xfa_form() -> str:
    return "the file is a dynamic XFA form, which few programs show: its pages have placeholders only"


def _pages_clamped(*, page_count: int) -> str:
    return f"the requested pages end with the last page, {page_count:,}"


def _region_of_one_page(*, page: int) -> str:
    return f"a region is a part of a single page, so that only page {page:,} of the requested pages is shown"


def _degraded(*, reason: str, **facts: int) -> str:
    less = _LESS.get(reason, "the PDF itself is not sent")
    return f"{less}: {degradation(reason, **facts)}"


def degradation(reason: str, /, **facts: int) -> str:
    """Return, as a clause, why a model gets less of a PDF than it accepts."""
    return _DEGRADATIONS[reason].format(**facts)


_LESS = {
    "image_over_budget": "an image is not sent",
    "no_images": "pages are shown as text only",
}
_DEGRADATIONS = {
    "encrypted": "models do not accept encrypted PDFs",
    "too_many_pages": "{page_count:,} pages exceed the limit of {maximum:,}",
    "too_many_bytes": "{size_bytes:,} bytes exceed the limit of {maximum:,}",
    "too_many_tokens": "about {tokens:,} tokens exceed the limit of {maximum:,}",
    "damaged_page": "page {page:,} is damaged",
    "image_over_budget": (
        "the image of page {page:,} has about {tokens:,} tokens, and the budget leaves {maximum:,}"
    ),
    "no_images": "the model accepts no images",
}


# -- notebooks


def _broken_json(*, line: int, column: int, fault: str, detail: str | None) -> str:
    reason = {
        "too_large": "it is too large",
        "no_cells": "it has neither cells nor worksheets",
        "not_a_list": f"its {detail} are not a list",
        "syntax": f"{detail}",
    }[fault]
    return f"it is not a valid notebook and is shown as text: {reason}, at line {line:,}, byte {column:,}"


# The fact is named like the parts: `cells`, `lines`, `rows` or `slides`.
def _images_left_out(**facts: Sequence[int]) -> str:
    [(unit, numbers)] = facts.items()
    listed = ", ".join(f"{number:,}" for number in numbers)
    named = unit[:-1] if len(numbers) == 1 else unit
    return f"some images of {named} {listed} are not shown: the page is full"


def _no_cells() -> str:
    return "the notebook has no cells"


# -- records


def _duplicate_key(*, at: str) -> str:
    return f"a key on the way to {quoted(at)} occurs several times; the last one was taken, as parsers do"


def _translated_address(*, at: str) -> str:
    return f"the address was read as {quoted(at)}"


def _not_strict() -> str:
    return (
        "JSON does not allow what is in or beside some records: comments, `NaN`, commas, control characters"
    )


def _not_json(*, rows: Sequence[int], unit: Sequence[str]) -> str:
    listed = ", ".join(f"{number:,}" for number in rows)
    is_one = len(rows) == 1
    return f"{unit[not is_one]} {listed} {'is' if is_one else 'are'} not JSON, and shown as in the file"


def _torn_record() -> str:
    return "the last record shown is incomplete: its line or the file ends inside of it"


# -- workbooks


def _no_cached_value(*, cells: Sequence[str]) -> str:
    listed, is_one = ", ".join(cells), len(cells) == 1
    whose = "the cell has a formula" if is_one else "some cells have formulas"
    return f"{whose} without a stored result, shown as the formula: {listed}"


def _hidden_left_out(*, sheets: Sequence[str]) -> _Parts:
    listed = ", ".join(quoted(one_line(name)) for name in sheets)
    noun = "a sheet is" if len(sheets) == 1 else "sheets are"
    return (f"{noun} hidden: {listed}; pass ", Argument("at", sheets[0]), " to read it")


def _hidden_rows(*, rows: Sequence[Sequence[int]], columns: Sequence[Sequence[str]]) -> str:
    found = [
        f"{unit} {first}" if first == last else f"{unit}s {first}-{last}"
        for unit, spans in (("row", rows), ("column", columns))
        for first, last in spans
    ]
    return f"shown here, but hidden in the workbook: {', '.join(found)}"


def _hidden_slides(*, slides: Sequence[int]) -> _Parts:
    listed = ", ".join(map(str, slides))
    named = f"slide {listed} is" if len(slides) == 1 else f"slides {listed} are"
    return (f"{named} hidden and left out; pass ", Argument("pages", str(slides[0])), " to read it")


def _slide_too_long(*, slides: Sequence[int]) -> str:
    return f"only the beginning is read of slides with over 1 MiB of text: {', '.join(map(str, slides))}"


def _macros() -> str:
    return "the file has macros, which are neither shown nor run"


def _tracked_changes() -> str:
    return "the document has tracked changes; the text is shown as if all were accepted"


def _hidden_runs() -> str:
    return "hidden text of the document is left out"


def _external_links() -> str:
    return "some formulas refer to other workbooks; the results stored in this one are shown"


def _no_styles() -> str:
    return "the styles of the workbook are missing or damaged; numbers and dates are shown as stored"


def _unknown_format(*, formats: Sequence[str]) -> str:
    listed = ", ".join(quoted(one_line(each)) for each in formats)
    return f"some number formats are not known, so these numbers are shown as stored: {listed}"


def _unknown_labels() -> str:
    return "some lists have numbers in a form that is not known, which are shown in decimal"


def _unseen_runs(*, count: int) -> str:
    why = "white, under 2.5 pt, off the slide or hidden by a format"
    return f"people do not see {counted(count, 'pieces')} of this text: {why}"


def _unordered() -> str:
    return "the file has rows or cells out of order, which are sorted here"


# -- directories


def entries_left_out(ignored: int, denied: int) -> str:
    """Return which entries of a directory are left out, as a clause; empty if none are."""
    counts = [(count, word) for count, word in ((ignored, "ignored"), (denied, "denied")) if count]
    return ", ".join(
        f"{count:,} {word}" if index else f"{count:,} {'entry is' if count == 1 else 'entries are'} {word}"
        for index, (count, word) in enumerate(counts)
    )


def _not_searched(*, count: int, paths: Sequence[str]) -> str:
    more = f" and {count - len(paths):,} more" if count > len(paths) else ""
    return f"{counted(count, 'files')} could not be searched: {', '.join(map(quoted, paths))}{more}"


def _rules_left_out(*, paths: Sequence[str]) -> str:
    listed = ", ".join(map(quoted, paths))
    return f"rules in {listed} do not apply: one is over 4 KiB, or all with those above 128 KiB"


def _no_entries(*, ignored: int, denied: int) -> str:
    left_out = entries_left_out(ignored, denied)
    return f"no entry is shown: {left_out}" if left_out else "the directory is empty"


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
    "duplicate_key": _duplicate_key,
    "empty_file": _empty_file,
    "external_links": _external_links,
    "no_styles": _no_styles,
    "gzip_damaged": _gzip_damaged,
    "hidden_left_out": _hidden_left_out,
    "hidden_rows": _hidden_rows,
    "hidden_runs": _hidden_runs,
    "hidden_slides": _hidden_slides,
    "hidden_text": _hidden_text,
    "ignored_argument": _ignored_argument,
    "images_left_out": _images_left_out,
    "invisible": _invisible,
    "link_followed": _link_followed,
    "lossy": _lossy,
    "low_confidence": _low_confidence,
    "macros": _macros,
    "missing_font": _missing_font,
    "mixed_line_endings": _mixed_line_endings,
    "name_content_mismatch": _name_content_mismatch,
    "no_cached_value": _no_cached_value,
    "no_cells": _no_cells,
    "no_entries": _no_entries,
    "no_text_layer": _no_text_layer,
    "not_json": _not_json,
    "not_strict": _not_strict,
    "nul": _nul,
    "output_truncated": _output_truncated,
    "over_budget": _over_budget,
    "literal_pattern": _literal_pattern,
    "not_searched": _not_searched,
    "page_full": _page_full,
    "pages_clamped": _pages_clamped,
    "path_as_place": _path_as_place,
    "path_repaired": _path_repaired,
    "region_of_one_page": _region_of_one_page,
    "repaired_image": _repaired_image,
    "rules_left_out": _rules_left_out,
    "section_goes_on": _section_goes_on,
    "slide_too_long": _slide_too_long,
    "stopped_by_time": _stopped_by_time,
    "torn_record": _torn_record,
    "tracked_changes": _tracked_changes,
    "translated_address": _translated_address,
    "unknown_format": _unknown_format,
    "unknown_labels": _unknown_labels,
    "unseen_runs": _unseen_runs,
    "unordered": _unordered,
    "unreadable_text": _unreadable_text,
    "text_only": _text_only,
    "values_spread": _values_spread,
    "window_of_pages": _window_of_pages,
    "xfa_form": _xfa_form,
}
