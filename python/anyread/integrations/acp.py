"""The Agent Client Protocol: `fs/read_text_file`, with which an agent reads through its editor or host.

| anyread | ACP |
| --- | --- |
| text | `content`: exactly the lines of the window, without line numbers |
| notebook | `content`: its JSON |
| image, PDF, other binary files | an error that says what the file is |
| error | a JSON-RPC error with the message, and the code and path as data |

Source: the package `agent-client-protocol` 0.12.1, 2026-11-22.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from anyread.arguments.limits import MIB
from anyread.arguments.settings import LARGEST
from anyread.errors import NotFoundError, OffsetPastEndError, OverBudgetError, ReadError, WrongKindError
from anyread.kinds import BY_KIND
from anyread.models.model import Model
from anyread.reader import Reader
from anyread.results import TextPage
from anyread.tools.parts.files import like

from .reading import worded
from .requirements import needs

with needs(__name__, "agent-client-protocol"):
    from acp import ReadTextFileRequest, ReadTextFileResponse, RequestError

__all__ = ["MAX_BYTES", "TextFiles", "read_text_file"]

MAX_BYTES = 8 * MIB
"""Bytes of the largest window that is sent; a larger one is an error, which says how many lines fit.

The package refuses messages over 50 MiB, and JSON may write a byte as six.
"""

_NOT_FOUND = -32002
"""ACP's code for a resource that does not exist."""
_INVALID_PARAMS = -32602
_NAMES = {"offset": "line", "limit": "limit"}
"""The names of arguments in ACP."""


async def read_text_file(
    request: ReadTextFileRequest, *, reader: Reader | None = None
) -> ReadTextFileResponse:
    """Answer a request for the text of a file.

    Args:
        request: The path, the first line (from 1) and the number of lines; without them, the whole file.
        reader: The reader with roots and deny rules; `None`: every path. Of its limits on a page only
            `nul` and those on time and memory apply, because the protocol has no way to continue a page.

    Returns:
        The exact text of the lines, decoded, without a byte order mark; empty past the end of the file.

    Raises:
        RequestError: The file cannot be read as text, or its window is larger than `MAX_BYTES`.

    Example:
        >>> from anyread.integrations.acp import read_text_file
        >>> request = ReadTextFileRequest(session_id="1", path="/repo/app.py", line=40, limit=20)
        >>> (await read_text_file(request)).content
    """
    if request.limit == 0:
        return ReadTextFileResponse(content="")
    try:
        return ReadTextFileResponse(content=await _content(request, _exact(reader or Reader())))
    except OffsetPastEndError:
        return ReadTextFileResponse(content="")
    except ReadError as error:
        raise _request_error(error) from error


class TextFiles:
    """The method `read_text_file` of a client, as a base class.

    Example:
        >>> from anyread.integrations.acp import TextFiles
        >>> class Editor(TextFiles, OtherMethods):
        ...     reader = anyread.Reader(roots=["/repo"], deny="secrets")
    """

    reader: Reader | None = None
    """The reader with roots and deny rules; `None`: every path."""

    async def read_text_file(
        self,
        session_id: str,
        path: str,
        line: int | None = None,
        limit: int | None = None,
        **_: Any,
    ) -> ReadTextFileResponse:
        """Answer a request as the function `read_text_file` does."""
        request = ReadTextFileRequest(session_id=session_id, path=path, line=line, limit=limit)
        return await read_text_file(request, reader=self.reader)


async def _content(request: ReadTextFileRequest, reader: Reader) -> str:
    page = await reader.read(request.path, offset=request.line or 1, limit=request.limit)
    if not isinstance(page, TextPage):
        raise WrongKindError(page.path, argument="offset", kind=page.kind)
    return page.content


def _exact(reader: Reader) -> Reader:
    """Return a reader whose pages leave nothing out."""
    limits = replace(
        reader.limits,
        max_lines=LARGEST,
        max_line_chars=LARGEST,
        max_bytes=MAX_BYTES,
        max_tokens=LARGEST,
        tokenizer=None,
        over_budget="error",
    )
    # Without images nothing is decoded that could not be sent, and notebooks are text.
    return like(reader, limits=limits, model=Model.text_only(), notebook="raw")


def _request_error(error: ReadError) -> RequestError:
    if isinstance(error, WrongKindError):
        message = f"`{error.path}` is {BY_KIND[error.kind].a_kind}, and `fs/read_text_file` carries only text"
        return RequestError(_INVALID_PARAMS, message, {"code": "not_text", "path": error.path})
    # An agent cannot make another reader.
    is_for_host = isinstance(error, OverBudgetError) and error.largest_limit == 0
    message = error.message if is_for_host else worded(error, _NAMES)
    code = _NOT_FOUND if isinstance(error, NotFoundError) else _INVALID_PARAMS
    return RequestError(code, message, {"code": error.code, "path": error.path})
