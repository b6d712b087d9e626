"""Files that only the framework can fetch, such as those of a sandbox or a remote machine.

The frameworks return such files completely, so each call fetches the files that it reads.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, TypeAlias

from anyread.arguments.limits import Limits
from anyread.arguments.places import FilePlace, parsed
from anyread.errors import NotFoundError
from anyread.models.model import Model
from anyread.reader import Reader
from anyread.results import Block
from anyread.running.calls import WorkTarget, work
from anyread.sources import Blocks, Fetched
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
        names = {path: _name(path) for path, _ in wanted}
        store = _Fetching(self._fetch, {f"/{name.removeprefix('./')}": path for path, name in names.items()})
        read = tool("anyread", reader=Reader(mounts={"/": store}), model=self._model)
        # The files have no versions, so versions of earlier calls say nothing.
        given = {name: value for name, value in arguments.items() if name not in _NOT_PASSED}
        here = [f"{names[path]}{lines}" for path, lines in wanted]
        return await read.call({**given, **({"places": here} if has_places else {"path": here[0]})})

    def blocks(self, output: Output) -> list[Block]:
        """Convert an output to the blocks of a message."""
        return self._contract.blocks(output)

    def failed(self, output: Output) -> bool:
        """Return whether an output is a failure."""
        return self._contract.failed(output)


class _Fetching:
    """A store that fetches whole files, which have no versions."""

    root, blocks = "/", False

    def __init__(self, fetch: Fetch, paths: Mapping[str, str]) -> None:
        self._fetch, self._paths = fetch, paths

    async def get(self, path: str, wanted: Sequence[Blocks], version: str | None) -> Fetched:  # noqa: ARG002
        """Return a whole file; see `anyread.sources.Store`."""
        try:
            content = await self._fetch(self._paths.get(path, path))
        except FileNotFoundError:
            raise NotFoundError(path) from None
        return Fetched(len(content), "", [(0, content)], is_settled=False)


def _name(path: str) -> str:
    """Return the path that is shown: relative, and without `..`."""
    parts = [part for part in PurePosixPath(path).parts if part not in {"/", "//", ".."}]
    name = "/".join(parts) or "file"
    # `./` keeps names such as `~x` from being expanded.
    return name if name[0].isalnum() else f"./{name}"


def _split(place: str) -> tuple[str, str]:
    """Return the path of a place, and what follows it."""
    found = parsed(place) or FilePlace(place)
    return found.path, str(found).removeprefix(found.path)


def worked(function: Callable[[], Any], path: str) -> Any:
    """Run a function that may block, for `loop.run`; its file is not on a mount that may hang."""
    return work(lambda _: function(), WorkTarget(path, lambda: None, lambda: None))
