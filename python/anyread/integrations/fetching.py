"""Files that only the framework can fetch, such as those of a sandbox or a remote machine.

The frameworks return such files completely, so each call reads a temporary copy.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from anyread.arguments.limits import Limits
from anyread.arguments.places import FilePlace, parsed
from anyread.errors import NotFoundError, ReadError
from anyread.errors.base import quoted
from anyread.models.model import Model
from anyread.results import Block
from anyread.running import loop
from anyread.running.calls import WorkTarget, work
from anyread.tools import Definition, Output, tool

MAX_FETCHED_BYTES = Limits().count_bytes
"""The maximum size of a file that is copied, where the framework returns it as a stream."""

_NOT_PASSED = {"path", "places", "since_version", "unless_version"}

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
        places: Any = arguments.get("places")
        has_places = bool(places) and places != [""]
        listed = [places] if isinstance(places, str) else places
        wanted = list(map(_split, listed)) if has_places else [(arguments["path"], "")]
        # A thread that still writes when the call is cancelled must not make the removal fail.
        with TemporaryDirectory(prefix="anyread-", ignore_cleanup_errors=True) as directory:
            copies: dict[str, str] = {}
            failures: list[str] = []
            for path in dict.fromkeys(path for path, _ in wanted):
                try:
                    copies[path] = await self._copied(path, directory)
                except ReadError as error:
                    failures.append(str(error))
                except FileNotFoundError:
                    # A directory, which the hint of the error names, cannot be fetched.
                    failures.append(f"{NotFoundError(path).message}\nhint: list the available files first")
                except Exception as error:  # noqa: BLE001 - an exception would end the run
                    failures.append(f"cannot fetch {quoted(path)}: {type(error).__name__}: {error}")
            parts = [{"type": "text", "text": failure} for failure in failures]
            if not copies:
                return {"is_error": True, "content": parts}
            read = tool("anyread", roots=[directory], model=self._model)
            # Each copy has another version, so versions of earlier calls say nothing.
            given = {name: value for name, value in arguments.items() if name not in _NOT_PASSED}
            here = [f"{copies[path]}{lines}" for path, lines in wanted if path in copies]
            output = await read.call({**given, **({"places": here} if has_places else {"path": here[0]})})
            output["content"] += parts
            return output

    def blocks(self, output: Output) -> list[Block]:
        """Convert an output to the blocks of a message."""
        return self._contract.blocks(output)

    def failed(self, output: Output) -> bool:
        """Return whether an output is a failure."""
        return self._contract.failed(output)

    async def _copied(self, path: str, directory: str) -> str:
        """Fetch a file into a directory, and return the path of its copy there."""
        content = await self._fetch(path)
        parts = [part for part in PurePosixPath(path).parts if part not in {"/", "//", ".."}]
        name = "/".join(parts) or "file"
        copy = Path(directory, name)

        def write() -> None:
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(content)

        await loop.run(lambda: worked(write, name))
        # `./` keeps names such as `~x` from being expanded.
        return name if name[0].isalnum() else f"./{name}"


def _split(place: str) -> tuple[str, str]:
    """Return the path of a place, and what follows it."""
    found = parsed(place) or FilePlace(place)
    return found.path, str(found).removeprefix(found.path)


def worked(function: Callable[[], Any], path: str) -> Any:
    """Run a function that may block, for `loop.run`; its file is not on a mount that may hang."""
    return work(lambda _: function(), WorkTarget(path, lambda: None, lambda: None))
