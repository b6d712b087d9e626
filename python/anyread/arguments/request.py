"""The arguments of a read, each declared once.

The annotations of the three dictionaries below declare every argument: its type for type checkers, and in
`Annotated` the accepted values, its default, its description, and the kinds of files to which it applies.
Checks, the options of the command line, the schema of the `anyread` tool, the request to the core and
continuations all come from them. Only the signatures of `Reader.read` and `read_sync` name them again.
Anything that depends on the file (a page past the last, an unknown encoding) is checked when it is read.
"""

# The annotations are evaluated when this module is loaded, so they must not be strings.
from collections.abc import Mapping, Sequence
from operator import is_
from typing import Annotated, Any, Literal, TypedDict, Unpack, cast

from anyread.kinds import takers

from .gutter import Gutter
from .other_names import unknown
from .paths import AnyPath
from .patterns import MOST_HITS
from .settings import LARGEST, literal
from .types import (
    KINDS,
    KINDS_LISTED,
    VALUES,
    Address,
    ArgumentType,
    Choice,
    Encoding,
    FindPattern,
    Integer,
    Kind,
    KindOrMediaType,
    LineNumbers,
    PagesArgument,
    Ranges,
    Region,
    Version,
)

__all__ = [
    "ARGUMENTS",
    "DEFAULTS",
    "HIDDEN",
    "KINDS",
    "LARGEST",
    "WINDOW",
    "ArgumentType",
    "Kind",
    "ReadArguments",
    "Request",
    "WindowArguments",
    "checked",
    "explicit",
    "foreign",
    "lenient",
    "literal",
    "repeated",
    "requested",
    "schemas",
]


class WindowArguments(TypedDict, total=False):
    """The arguments that select a part of a file and how it is shown."""

    offset: Annotated[
        int,
        Integer(
            "first line (notebooks: cell), counted from 1; -N counts from the end",
            least=-LARGEST,
            zero_means=1,
            default=1,
        ),
    ]
    limit: Annotated[
        int | None,
        Integer(
            "number of lines (notebooks: cells)",
            least=1,
            default_means="as many as a page holds",
        ),
    ]
    around: Annotated[
        int | None,
        Integer(
            "a line (notebooks: cell) to show in the middle of `limit` lines, instead of `offset`; without"
            " `limit`, with its block",
            least=-LARGEST,
            default_means="no such line",
            is_for_models=False,
        ),
    ]
    ranges: Annotated[
        Sequence[int | tuple[int, int]] | None,
        Ranges(
            "lines (notebooks: cells, PDFs: pages) to show, as pairs of the first and the last or single",
            default_means="one window",
            is_for_models=False,
        ),
    ]
    column: Annotated[
        int,
        Integer(
            "first character of the first line or PDF page, to continue inside a long one",
            least=0,
            zero_means=1,
            default=1,
        ),
    ]
    pages: Annotated[
        str | int | None,
        PagesArgument(
            'pages of a PDF or a TIFF, or slides: "3", "1-5" or "2-"',
            default_means="from the first",
        ),
    ]
    encoding: Annotated[
        str | None,
        Encoding(
            "encoding of a text file, if the detected one is wrong",
            default_means="detected",
            is_ignored=True,
            is_repeated=True,
        ),
    ]
    region: Annotated[
        tuple[int, int, int, int] | None,
        Region(
            "part of an image (in pixels) or PDF page (in points): x, y, width, height",
            default_means="all of it",
        ),
    ]
    at: Annotated[
        str | None,
        Address(
            'a heading or function, "In[17]", "Orders!B2:F20", "17/output" (record 17)',
            default_means="the whole file",
            is_repeated=True,
        ),
    ]
    find: Annotated[
        str | None,
        FindPattern(
            "show only where this is: a regular expression, or letters; `limit` counts hits",
            default_means="everything",
            is_repeated=True,
        ),
    ]
    values: Annotated[
        Literal["shown", "raw", "formulas"] | None,
        Choice(
            "how workbook cells are shown",
            *VALUES,
            default_means="shown",
            is_repeated=True,
        ),
    ]
    max_tokens: Annotated[
        int | None,
        Integer(
            "maximum tokens of the page, texts and images together",
            least=1,
            default_means="the reader's limit, the most allowed",
            is_repeated=True,
        ),
    ]
    max_bytes: Annotated[
        int | None,
        Integer(
            "maximum bytes of the page's text",
            least=1,
            default_means="the reader's limit, the most allowed",
            is_repeated=True,
        ),
    ]
    since_version: Annotated[str | None, Version("version for which the window was chosen, as in `next`")]
    gutter: Annotated[
        Gutter | None,
        LineNumbers(
            "format of line numbers",
            default_means="the reader's",
            is_ignored=True,
            is_repeated=True,
            is_for_models=False,
        ),
    ]


class ReadArguments(WindowArguments, total=False):
    """The keyword arguments of every method that reads."""

    kind: Annotated[
        str | None,
        KindOrMediaType(
            f"read the file as {KINDS_LISTED} or a media type",
            default_means="detected",
            is_repeated=True,
        ),
    ]


class Request(ReadArguments, total=False):
    """All arguments of a read; what `checked` returns has all of them."""

    unless_version: Annotated[
        str | None,
        Version("version of an earlier result; a file that still has it is not read again"),
    ]


def _declared() -> dict[str, ArgumentType]:
    declared = {}
    for name, annotation in Request.__annotations__.items():
        argument = declared[name] = annotation.__metadata__[0]
        argument.name = name
        argument.kinds = takers(name)
    return declared


ARGUMENTS: Mapping[str, ArgumentType] = _declared()
"""The declaration of each argument, by name."""
DEFAULTS = cast("Request", {name: argument.default for name, argument in ARGUMENTS.items()})
"""The request of a read without arguments. The core reads it once; nothing may change it."""
REPEATED = tuple(
    (name, argument.default)
    for name, argument in ARGUMENTS.items()
    if argument.is_repeated and "text" in argument.kinds
)
"""The arguments that the next call for a text repeats, with their defaults; the binding reads this."""
FOREIGN = tuple(
    (name, argument.default)
    for name, argument in ARGUMENTS.items()
    if not argument.is_ignored and "text" not in argument.kinds
)
"""The arguments that a text refuses, with their defaults; the binding reads this."""
WINDOW = ("around", "offset", "limit", "pages", "region")
"""The arguments that choose a part of a file, instead of `ranges`, which begin at `column`."""
LINES_AROUND = 21
"""The number of lines, or cells, that `around` shows without `limit` if it shows no block."""
_CHECKS = {name: argument.checked for name, argument in ARGUMENTS.items()}
_DEFAULT_VALUES = tuple(DEFAULTS.values())
_EACH = tuple((name, argument.default, argument.checked) for name, argument in ARGUMENTS.items())
_FOR_MODELS = {name: argument for name, argument in ARGUMENTS.items() if argument.is_for_models}
HIDDEN = ("around", "ranges")
"""The arguments that models are not shown, and may pass."""
_FROM_MODELS = {name: argument for name, argument in ARGUMENTS.items() if name in {*_FOR_MODELS, *HIDDEN}}


def checked(path: AnyPath, **arguments: Unpack[Request]) -> Request:
    """Check the arguments of one read of `path`, or of several files of which it is the first.

    Returns:
        All arguments as the core accepts them, including defaults.

    Raises:
        BadArgumentError: An argument is invalid for every file.
        TypeError: There is no argument with that name.
    """
    request = DEFAULTS.copy()
    values: Any = request
    for name, value in arguments.items():
        check = _CHECKS.get(name)
        if check is None:
            raise unknown("a read", arguments, tuple(ARGUMENTS))
        values[name] = check(path, value)
    return _complete(path, request)


def requested(path: AnyPath, values: Sequence[object]) -> Request | None:
    """Check the values of all arguments of a read, in the order of `ARGUMENTS`.

    Returns:
        As `checked` does; `None` if no value differs from its default, because the core has that request.
    """
    # Not all at once by `==`, according to which `True` is 1.
    if all(map(is_, values, _DEFAULT_VALUES)):
        return None
    request = DEFAULTS.copy()
    for (name, default, check), value in zip(_EACH, values, strict=True):
        if value is not default:
            request[name] = check(path, value)  # type: ignore[literal-required] # a name of the table
    return _complete(path, request)


def _complete(path: AnyPath, request: Request) -> Request:
    """Refuse arguments that exclude one another, and replace `around` by the window that it means."""
    is_search = request["find"] is not None
    if request["ranges"] is not None:
        _refuse_besides(
            path, request, "ranges", [name for name in WINDOW if name != "limit" or not is_search]
        )
    around = request["around"]
    if is_search:
        _refuse_besides(path, request, "find", ("around", "region"))
        request["limit"] = request["limit"] or MOST_HITS
    if around is not None:
        _refuse_besides(path, request, "around", ("offset", "column"))
        # Without a limit, the core has the line, and shows the block of a text instead of this window.
        is_line, size = request["limit"] is None, request["limit"] or LINES_AROUND
        before = min((size - 1) // 2, around - 1) if around > 0 else (size - 1) // 2
        after = size - 1 - (size - 1) // 2
        request["around"] = around if is_line else None
        request["offset"], request["limit"] = around - before, before + 1 + after
    return request


def _refuse_besides(path: AnyPath, request: Request, name: str, others: Sequence[str]) -> None:
    for other in others:
        argument = ARGUMENTS[other]
        value = request[other]  # type: ignore[literal-required] # a name of the table
        if value != argument.default:
            raise argument.refusal(path, value, f"omitted together with `{name}`")


def lenient(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a model's call, unchecked, without neutral values."""
    given = {}
    for name, value in arguments.items():
        argument = _FROM_MODELS.get(name)
        if argument is not None and not argument.is_neutral(value):
            given[name] = argument.lenient(value)
    # The first invalid argument in the order of the declarations is reported.
    return given if len(given) < 2 else {name: given[name] for name in _FROM_MODELS if name in given}


def schemas() -> dict[str, dict[str, Any]]:
    """Return the JSON schema of each argument that a model may pass."""
    return {name: argument.described() for name, argument in _FOR_MODELS.items()}


def foreign(request: Request, kind: str) -> str | None:
    """Name the first argument that files of a kind refuse; `None` if there is none."""
    for name, value in request.items():
        argument = ARGUMENTS[name]
        if value != argument.default and kind not in argument.kinds and not argument.is_ignored:
            return name
    return None


def explicit(request: Request) -> ReadArguments:
    """Return the arguments that differ from their defaults, without versions, to repeat a read."""
    # The window that `around` means is not repeated with it.
    implied = () if request["around"] is None else ("offset", "limit")
    return cast(
        "ReadArguments",
        {
            name: value
            for name, value in request.items()
            if value != ARGUMENTS[name].default
            and not isinstance(ARGUMENTS[name], Version)
            and name not in implied
        },
    )


def repeated(request: Request, kind: str) -> ReadArguments:
    """Return the arguments that the next call for the same file repeats."""
    again = {
        name: value
        for name, value in request.items()
        if value != ARGUMENTS[name].default and ARGUMENTS[name].is_repeated and kind in ARGUMENTS[name].kinds
    }
    return cast("ReadArguments", again)
