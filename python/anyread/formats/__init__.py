"""Reads a file that is made of parts with the format of its kind."""

from __future__ import annotations

import re
from contextlib import closing, contextmanager
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from anyread._native import package_type
from anyread.arguments.request import ARGUMENTS, foreign
from anyread.errors import (
    BadArgumentError,
    BinaryFileError,
    DamagedFileError,
    DecoderUnavailableError,
    NotOneImageError,
    TooLargeError,
    WrongKindError,
)
from anyread.errors.base import one_line
from anyread.kinds import BY_KIND, OF_ADDRESSES, PACKAGES, TEXT, Format, kind_of, of_media_type
from anyread.running.calls import once, with_decoder, work
from anyread.values import replaced

from .fallback import IsTextError, at_lines, chart_number, unchanged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from anyread._native import Cancel, Opened
    from anyread.arguments.request import Request
    from anyread.results import Page
    from anyread.results.notices import Notice
    from anyread.running.calls import WorkTarget

    from .composing import Composed
    from .finding import Found
    from .parts import AnyOpened, How, ReadsFormat

_T = TypeVar("_T")
_UNKNOWN = "application/octet-stream"
_ADDRESS = re.compile(r"#?\d*/")
"""How an address begins that is always one of JSON."""
_loaded: dict[str, ReadsFormat] = {}
"""The modules of this package by kind, once each has been imported."""


def read_opened(opened: AnyOpened, request: Request, how: How, target: WorkTarget) -> Page:
    """Read a file that is not text.

    Args:
        opened: The file.
        request: The call.
        how: The settings of the reader, and the budget if it is not that of the call and the reader.
        target: The description of the file for the threads that work on it.

    Raises:
        NoNotebookError: It is not a notebook, and must be read as text.
        ReadError: As the reader for its kind.
    """
    form = form_of(opened, how, target, request)
    argument = foreign({**request, "at": None} if form is TEXT else request, form.kind)
    if argument is not None:
        raise WrongKindError(opened.path, argument=argument, kind=form.kind)
    in_decoder = form.parsed_in == "decoder"
    if in_decoder:
        with_decoder(target)
    module = _module_of(form, opened, how, target)
    how = how._replace(
        limits=how.limits.lowered(max_tokens=request["max_tokens"], max_bytes=request["max_bytes"]),
        gutter=request["gutter"] or how.gutter,
    )
    notices: list[Notice] = []
    if request["at"] is not None and hasattr(module, "named"):
        named = partial(_named, form.kind, module, opened, request, how)
        with _explained(form, opened, request):
            request, notices = once(("named", id(opened), request["at"]), lambda: work(named, target))
    if form is TEXT:
        raise IsTextError(request, notices)
    is_named = request["around"] is not None or request["ranges"] is not None
    if is_named and request["find"] is None and hasattr(module, "around"):
        in_context = partial(_in_context, module, opened, request, how)
        with _explained(form, opened, request):
            request = once(("context", id(opened)), lambda: work(in_context, target))
    found = None
    if request["find"] is not None:
        # Of pages with text, no images.
        how = how._replace(prefers_text=True)
        with _explained(form, opened, request):
            request, found = _found(form, module, opened, request, how, target)
        how = how._replace(pattern=found.pattern)
    drafted = partial(_drafted, form, module, opened, request, found, how)
    with _explained(form, opened, request):
        if in_decoder:
            with unchanged(opened):
                page = drafted(None)
        else:
            # Its images may be decoded in another thread.
            page = once((form.kind, id(opened), how.budget), lambda: work(drafted, target))
            if any(part.pictures for part in page.parts):
                with_decoder(target)
                page.settle()
        shown = page.page()
        return replaced(shown, notices=(*shown.notices, *notices)) if notices else shown


def _named(  # noqa: PLR0917 - bound by position
    kind: str, module: Any, opened: AnyOpened, request: Request, how: How, cancel: Cancel | None
) -> tuple[Request, list[Notice]]:
    """Replace a name in the request by the parts that it means."""
    at = request["at"] or ""
    if kind != "records":
        if at.isdecimal():
            return at_lines(request, ARGUMENTS["ranges"].checked(opened.path, [int(at[:16])])), []
        name: Literal["around", "ranges", "column"]
        for name in ("around", "ranges", "column") if chart_number(at) is None else ():
            value, argument = request[name], ARGUMENTS[name]
            if value != argument.default:
                raise argument.refusal(opened.path, value, "omitted together with `at`")
    replaced_name: Callable[[How], tuple[Request, list[Notice]]] = partial(module.named, opened, request)
    return _parsing(opened, how._replace(cancel=cancel), replaced_name)


def _in_context(module: Any, opened: AnyOpened, request: Request, how: How, cancel: Cancel | None) -> Request:
    """Replace each single line or row of a request by those around it."""
    around = request["around"]
    spans = request["ranges"] or ([around] if around is not None and request["at"] is None else [])

    def found(how: How) -> Request:
        ranges: list[int | tuple[int, int]] = []
        for span in spans:
            # Also the line itself: the page says if it is past the end.
            ranges.append(span)
            if not isinstance(span, tuple) and span > 0:
                near = max(1, span - 10), span + 10
                is_statement = type(span) is not int
                ranges.append(near if is_statement else module.around(opened, request, how, span) or near)
        return at_lines(request, ranges, at=request["at"]) if ranges else request

    return _parsing(opened, how._replace(cancel=cancel), found)


def _found(  # noqa: PLR0917 - as of its only caller
    form: Format, module: ReadsFormat, opened: AnyOpened, request: Request, how: How, target: WorkTarget
) -> tuple[Request, Found]:
    """Return what a call looks for, in one sheet after another, and the call that shows it."""
    sheets = 1
    while True:
        looking = partial(_searched, form, module, opened, request, how)
        if form.parsed_in == "decoder":
            with unchanged(opened):
                shown, found = looking(None)
        else:
            shown, found = once(("find", id(opened), request["at"]), partial(work, looking, target))
        if found.hits or not found.beyond:
            return shown, found._replace(sheets=sheets)
        request = {**request, "at": found.beyond}
        sheets += 1


def _searched(  # noqa: PLR0917 - bound by position
    form: Format,
    module: ReadsFormat,
    opened: AnyOpened,
    request: Request,
    how: How,
    cancel: Cancel | None,
) -> tuple[Request, Found]:
    from .finding import searched

    return _parsing(opened, how._replace(cancel=cancel), partial(searched, form, module, opened, request))


def _drafted(  # noqa: PLR0917 - bound by position
    form: Format,
    module: ReadsFormat,
    opened: AnyOpened,
    request: Request,
    found: Found | None,
    how: How,
    cancel: Cancel | None,
) -> Composed[Any]:
    from .composing import composed

    composing = partial(composed, form, module, opened, request, found=found)
    return _parsing(opened, how._replace(cancel=cancel), composing)


def _parsing(opened: AnyOpened, how: How, function: Callable[[How], _T]) -> _T:
    """Call a function that lets the core parse a file: in a decoder if a sandbox is required."""
    if not how.limits.requires_sandbox:
        return function(how)
    from anyread.decoding.host.core_calls import CoreCalls

    with closing(CoreCalls(cast("Opened", opened), how.limits, how.pool)) as core:
        return function(how._replace(core=core))


def describe_opened(opened: Opened, how: How, target: WorkTarget, request: Request) -> Mapping[str, object]:
    """Return the facts of `anyread.Info` that only files of this kind have; none for a binary file.

    Raises:
        NoNotebookError: It is not a notebook.
        WrongKindError: It is not of the kind of the request.
        ReadError: It cannot be examined, for example because it is damaged.
    """
    if request["kind"] is None and of_media_type(_media_type(opened, how, target)) is None:
        return {}
    form = form_of(opened, how, target, request)
    in_decoder = form.parsed_in == "decoder"
    if in_decoder:
        with_decoder(target)
    module = _module_of(form, opened, how, target)
    described = partial(_described, module, opened, how)
    with _explained(form, opened, request):
        facts = described(None) if in_decoder else work(described, target)
    return {"kind": form.kind, **facts}


def _described(
    module: ReadsFormat, opened: AnyOpened, how: How, cancel: Cancel | None
) -> Mapping[str, object]:
    def facts(parsing: How) -> Mapping[str, object]:
        parts = module.parts_of(opened, None, parsing)
        try:
            found = parts.facts()
            parts.end(())
        finally:
            parts.close()
        return found

    return _parsing(opened, how._replace(cancel=cancel), facts)


def _media_type(opened: AnyOpened, how: How, target: WorkTarget) -> str:
    """Return the media type of a file, which of some only its directory of members tells.

    Raises:
        PasswordRequiredError: It is an encrypted document.
    """
    if opened.media_type not in PACKAGES:
        return opened.media_type

    def found(cancel: Cancel | None) -> str:
        def type_of(parsing: How) -> str:
            return one_line(parsing.native(package_type)(cast("Opened", opened), cancel=cancel))

        return _parsing(opened, how, type_of)

    try:
        return work(found, target)
    except (DamagedFileError, TooLargeError):
        return opened.media_type


def form_of(opened: AnyOpened, how: How, target: WorkTarget, request: Request | None = None) -> Format:
    """Return the format as which a file is read.

    Raises:
        BinaryFileError: It has none.
        WrongKindError: It has none for an argument.
        PasswordRequiredError: It is an encrypted document.
    """
    wanted = None if request is None else request["kind"]
    is_addressed = opened.is_text or opened.media_type == _UNKNOWN
    if request is not None and request["at"] is not None and wanted is None and is_addressed:
        found = of_media_type(opened.media_type)
        if found is not None and found is not TEXT and "at" in found.takes:
            return found
        return OF_ADDRESSES if not opened.is_text or _is_json(opened, request["at"]) else TEXT
    if wanted is not None and wanted in BY_KIND:
        return BY_KIND[wanted]
    media_type = wanted or _media_type(opened, how, target)
    found = of_media_type(media_type)
    if found is None and wanted is None and (request is None or request["at"] is None):
        raise BinaryFileError(opened.path, media_type=media_type, size_bytes=opened.size_bytes)
    if found is None:
        argument = "at" if wanted is None else "kind"
        kind = kind_of(opened.media_type, is_text=opened.is_text)
        raise WrongKindError(opened.path, argument=argument, kind=kind)
    return found


def is_searched(opened: AnyOpened, how: How, target: WorkTarget, kind: str | None) -> bool:
    """Return whether a search of a directory looks into a file: without a kind, only the core parses files.

    Raises:
        ReadError: As `form_of`.
    """
    form = form_of(opened, how, target)
    return "find" in form.takes and (form.parsed_in == "core" or kind is not None)


def _is_json(opened: AnyOpened, at: str) -> bool:
    """Return whether an address in a text is one of JSON."""
    if _ADDRESS.match(at) or "json" in opened.media_type:
        return True
    head = cast("Opened", opened).head if opened.media_type == "text/plain" else b""
    return head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"[", b"{"))


def _module_of(form: Format, opened: AnyOpened, how: How, target: WorkTarget) -> ReadsFormat:
    """Return the reader for a format; refuse one that parses in this process where a sandbox is required."""
    if form.parsed_in == "host" and how.limits.requires_sandbox:
        reason = f"`require_sandbox` is set, and {form.a_kind} is parsed in this process"
        raise DecoderUnavailableError(opened.path, reason=reason, sandboxed=False)
    return loaded(form.kind, target)


def loaded(kind: str, target: WorkTarget) -> ReadsFormat:
    """Import the reader for a kind, in a thread, because the import would block an event loop too long."""
    if kind not in _loaded:
        name = BY_KIND[kind].module or kind
        _loaded[kind] = work(lambda _: cast("ReadsFormat", import_module(f"{__name__}.{name}")), target)
    return _loaded[kind]


@contextmanager
def _explained(form: Format, opened: AnyOpened, request: Request) -> Iterator[None]:
    """Replace a decoder's refusal with an error that names the argument which caused it, and its value.

    If a file of another type cannot be decoded as the requested kind, the cause is `kind`, not the file.
    """
    try:
        yield
    except BadArgumentError as error:
        if error.argument != "region" or isinstance(error, NotOneImageError):
            raise
        # A decoder knows the region only in its own units.
        value = str(request["region"])
        raise BadArgumentError(opened.path, argument="region", value=value, reason=error.reason) from error
    except DamagedFileError as error:
        found = of_media_type(opened.media_type)
        if request["kind"] is None or found is form or opened.media_type == _UNKNOWN:
            raise
        kind = found.kind if found else "text" if opened.is_text else opened.media_type
        raise WrongKindError(opened.path, argument="kind", kind=kind) from error
