"""Calls of the core that run in a decoder, where a sandbox is required for what parses files."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from anyread._native import Cancel, Opened
from anyread.arguments.settings import LARGEST
from anyread.decoding.protocol import MalformedError, field
from anyread.errors import DecoderUnavailableError, ReadError
from anyread.errors.base import one_line
from anyread.errors.from_core import CLASSES

from .core_types import Answer, data_of, of_text, returned
from .decoder import Decoder, Subject
from .pool import shared_pool

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anyread.arguments.limits import Limits

    from .pool import Pool

_T = TypeVar("_T")
_LEAST_ANSWER_BYTES = 16 << 20
_ANSWER_FACTOR = 8
"""The most bytes of an answer for each byte that a page may have: values without texts take bytes too."""
_RAISED = {
    "LookupError": (LookupError, 'tuple[int, Literal["list", "object", "string", "scalar"], int, list[str]]'),
    "ValueError": (
        ValueError,
        'tuple[int, int, Literal["too_large", "no_cells", "not_a_list", "syntax"], str | None]',
    ),
}
"""The other errors that calls raise, and the types of their arguments (`Json.follow`, `Notebook`)."""


class CoreCalls:
    """The core in a decoder, for one file; the first call takes the decoder, and `close` releases it.

    Args:
        opened: The file.
        limits: The limits of the reader.
        pool: The decoders; `None`: those of the process.
    """

    def __init__(self, opened: Opened, limits: Limits, pool: Pool | None) -> None:
        self._opened, self._limits, self._pool = opened, limits, pool
        self._decoder: Decoder | None = None

    def function(self, function: _T) -> _T:
        """Return a function or a class of the core that runs in the decoder."""
        return cast("_T", partial(self._call, cast("type", function).__name__, None))

    def close(self) -> None:
        """Release the decoder; if a call has no answer yet, it is killed."""
        decoder, self._decoder = self._decoder, None
        if decoder is not None:
            # If it has just ended, the next file gets another one.
            with decoder, suppress(ReadError):
                if not decoder.has_open_request:
                    decoder.tell({"job": "rest"})

    def _call(self, name: str, number: int | None, *arguments: Any, **named: Any) -> Any:
        """Call a function of the core, or a method of an object."""
        try:
            declared = returned(name)
        except FileNotFoundError as error:
            reason = "the file `core_types.json` of anyread is missing"
            raise DecoderUnavailableError(self._opened.path, reason=reason) from error
        job = {"job": "call", "name": name.rpartition(".")[2], "object": number}
        decoder = self._begun()
        decoder.ask(job, json.dumps([arguments, [*named.items()]], default=_plain).encode())
        # A part of a package may be larger than all of its file.
        frame = decoder.answer(max_payload_bytes=self._most_bytes() + named.get("max_bytes", 0))
        answer = Answer(frame.payload, named.get("last", LARGEST), partial(partial, self._call))
        try:
            found = _parsed(frame.text)
            if "raised" not in frame.header:
                return answer.value(found, declared)
            raise self._error(field(frame.header, "raised", str), found, answer, arguments)
        except MalformedError as error:
            decoder.distrust(error)

    def _begun(self) -> Decoder:
        if self._decoder is None:
            opened, size = self._opened, self._opened.size_bytes
            subject = Subject(
                opened.path,
                media_type=opened.media_type,
                size_bytes=size,
                limits=self._limits,
                rules=opened.rules,
            )
            pool, job = self._pool or shared_pool(), {"job": "core", **subject.budget(size)}
            self._decoder, _ = Decoder.begin(
                pool, subject, job, descriptors=(opened.fileno(),), max_payload_bytes=0
            )
        return self._decoder

    def _most_bytes(self) -> int:
        # A cell of a notebook is sent whole.
        whole = min(self._opened.size_bytes, self._limits.max_notebook_bytes)
        return _LEAST_ANSWER_BYTES + _ANSWER_FACTOR * (self._limits.max_bytes + whole)

    def _error(self, code: str, found: Any, answer: Answer, sent: Sequence[object]) -> Exception:
        """Return the error that a call raised; texts that are not those of the call are on one line."""
        if code in _RAISED:
            raised, arguments = _RAISED[code]
            values = answer.value(found, of_text(arguments))
            return raised(*(one_line(each, 500) if isinstance(each, str) else each for each in values))
        kind = cast("type[ReadError] | None", CLASSES.get(code))
        fields = {} if kind is None else data_of(kind)
        if kind is None or type(found) is not dict or found.keys() != fields.keys():
            raise MalformedError("its error is unknown")
        data = {name: answer.value(found[name], converters) for name, converters in fields.items()}
        texts = {name: one_line(value, 500) for name, value in data.items() if isinstance(value, str)}
        data |= {name: text for name, text in texts.items() if data[name] not in sent}
        try:
            return kind(self._opened.path, **data)
        except (ArithmeticError, LookupError, ValueError) as error:
            raise MalformedError("its error has impossible values") from error


def _plain(argument: Any) -> object:
    if isinstance(argument, Cancel):
        # A decoder whose call ends is killed.
        return None
    return {"file": None} if isinstance(argument, Opened) else asdict(argument)


def _parsed(text: bytes) -> Any:
    try:
        return json.loads(text.decode())
    except (ValueError, RecursionError) as error:
        raise MalformedError("the answer is not valid JSON") from error
