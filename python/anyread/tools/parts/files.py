"""What contracts do with a reader's files besides opening them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from anyread.arguments.paths import encoded, real_path
from anyread.reader import SETTINGS
from anyread.running.calls import work

if TYPE_CHECKING:
    from anyread.reader import Reader
    from anyread.running.calls import WorkTarget


def target_of(reader: Reader, path: str) -> WorkTarget:
    """Return the target of `work` on the file at a path."""
    return reader.engine.target(encoded(path))


def located(reader: Reader, path: str) -> str:
    """Return a path with links followed, as `real_path` does, but without blocking the event loop."""
    return work(lambda _: real_path(path), target_of(reader, path))


def like(reader: Reader, **changes: Any) -> Reader:
    """Return a copy of a reader, with some of its arguments changed."""
    own = {name: getattr(reader, name) for name in SETTINGS}
    return type(reader)(**{**own, "model": reader.model, **changes})
