"""Files that only the framework can fetch, such as those of a sandbox or a remote machine.

The frameworks return such files completely, so each call reads a temporary copy.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from anyread.errors import NotFoundError, ReadError
from anyread.errors.base import quoted
from anyread.limits import Limits
from anyread.model import Model
from anyread.results import Block
from anyread.running import loop
from anyread.running.calls import WorkTarget, work
from anyread.tools import Definition, Output, tool

MAX_FETCHED_BYTES = Limits().count_bytes
"""The maximum size of a file that is copied, where the framework returns it as a stream."""

Fetch: TypeAlias = Callable[[str], Awaitable[bytes]]
"""Returns the content of the file at a path that the model has passed."""


class FetchingTool:
    """The tool `anyread`, for files that a function fetches.

    Args:
        fetch: Returns the content of the file at a path, or raises an error, which the model sees.
        model: What the model accepts.

    Example:
        >>> read = FetchingTool(environment.read_file, model=Model.gemini())
        >>> await read.call({"path": "report.pdf", "pages": "1-3"})
    """

    def __init__(self, fetch: Fetch, *, model: Model) -> None:
        self._fetch = fetch
        self._model = model
        self._contract = tool("anyread", model=model)

    def definitions(self) -> list[Definition]:
        """Return the only definition."""
        return self._contract.definitions()

    async def call(self, arguments: object, *, name: str | None = None) -> Output:  # noqa: ARG002 - one tool
        """Fetch a file and read it; a failure is an output too."""
        refusal = self._contract.validate(arguments)
        if refusal is not None or not isinstance(arguments, Mapping):
            return refusal
        path: str = arguments["path"]
        try:
            return await self._read(await self._fetch(path), arguments)
        except ReadError as error:
            return _failure(str(error))
        except FileNotFoundError:
            return _failure(str(NotFoundError(path)))
        except Exception as error:  # noqa: BLE001 - an exception would end the run
            return _failure(f"cannot fetch {quoted(path)}: {type(error).__name__}: {error}")

    def blocks(self, output: Output) -> list[Block]:
        """Convert an output to the blocks of a message."""
        return self._contract.blocks(output)

    def failed(self, output: Output) -> bool:
        """Return whether an output is a failure."""
        return self._contract.failed(output)

    async def _read(self, content: bytes, arguments: Mapping[str, Any]) -> Output:
        name = PurePosixPath(arguments["path"]).name or "file"
        # A thread that still writes when the call is cancelled must not make the removal fail.
        with TemporaryDirectory(prefix="anyread-", ignore_cleanup_errors=True) as directory:
            copy = Path(directory, name)
            await loop.run(lambda: worked(lambda: copy.write_bytes(content), name))
            read = tool("anyread", roots=[directory], model=self._model)
            # Each copy has another version, so versions of earlier calls say nothing.
            versions = {"since_version", "unless_version"}
            given = {name: value for name, value in arguments.items() if name not in versions}
            # `./` keeps names such as `~x` from being expanded.
            return await read.call({**given, "path": name if name[0].isalnum() else f"./{name}"})


def worked(function: Callable[[], Any], path: str) -> Any:
    """Run a function that may block, for `loop.run`; its file is not on a mount that may hang."""
    return work(lambda _: function(), WorkTarget(path, lambda: None, lambda: None))


def _failure(text: str) -> Output:
    return {"is_error": True, "content": [{"type": "text", "text": text}]}
