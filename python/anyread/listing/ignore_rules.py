"""The rules of ignore files: read within a reader's roots and deny rules, bounded, and compiled once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from anyread._native import IgnoreFile
from anyread.arguments.paths import encoded
from anyread.errors import ReadError
from anyread.errors.logger import logger
from anyread.results.notices import make_notice

if TYPE_CHECKING:
    from collections.abc import Iterable

    from anyread.engine import ReaderEngine

MAX_BYTES: Final = 128 * 1024
"""The maximum size of all ignore files that apply to one path.

Each pattern counts 32 bytes more, because short ones take up to 13 kB when they are compiled.

Source: so hostile patterns take up to 40 MB and 0.4 s (2026-11-28, 2 cores). They are about 3,000 patterns;
templates of git have a few hundred.
"""

# The files used last, `MAX_BYTES` of them. Dictionaries are atomic; a lock could stay locked in a fork.
_compiled: dict[tuple[str, bool], IgnoreFile] = {}


def text_of(engine: ReaderEngine, path: str) -> str:
    """Return the text of an ignore file, no more than is needed to see that it is too large; this may block.

    It is empty if there is no file that the reader may read.
    """
    try:
        return engine.head(encoded(path), MAX_BYTES + 1).decode("utf-8-sig", "replace")
    except ReadError:
        return ""


def with_file(
    rules: list[IgnoreFile], text: str, directory: str, *, path: str, as_git: bool, left_out: list[str]
) -> list[IgnoreFile]:
    """Return rules with those of another file, which come last; without those that are too large.

    Args:
        rules: The rules of the directories above.
        text: The content of the file.
        directory: Its directory, relative to that of the project.
        path: The path of the file.
        as_git: As for `IgnoreFile`.
        left_out: Gets the path if all rules together would have more than `MAX_BYTES`, so that none of this
            file apply, or if it has patterns that are too long.
    """
    if not text:
        return rules
    fits = sum(each.size_bytes for each in rules) + IgnoreFile.size_of(text) <= MAX_BYTES
    file = _compiled_file(text, as_git=as_git) if fits else None
    if file is None or not file.is_complete:
        left_out.append(path)
        logger().warning(make_notice("rules_left_out", paths=[path]).message)
    return rules if file is None else [*rules, file.moved_to(directory)]


def _compiled_file(text: str, *, as_git: bool) -> IgnoreFile:
    key = text, as_git
    file = _compiled.pop(key, None) or IgnoreFile(text, "", as_git=as_git)
    _compiled[key] = file
    for oldest in tuple(_compiled)[:-1]:
        if sum(each.size_bytes for each in tuple(_compiled.values())) <= MAX_BYTES:
            break
        _compiled.pop(oldest, None)
    return file


def are_compiled(texts: Iterable[str], *, as_git: bool) -> bool:
    """Return whether none of these files would have to be compiled."""
    return all((text, as_git) in _compiled for text in texts if text)
