"""Files of a sandbox whose only door is "run a command".

The far side needs `sh`, `stat`, `dd`, `head`, `base64`, `wc`, `tr` and `date`, as GNU, BusyBox and macOS have
them. Paths are arguments of a script and never part of it. What comes back is checked: the mark of the call,
the alphabet and the length of the data, and the state of the file before and after. A file that has only
grown in between is read up to the size that it had.
"""

from __future__ import annotations

import base64
import re
import secrets
from collections.abc import Awaitable, Callable, Iterator, Sequence
from copy import copy
from inspect import iscoroutinefunction
from typing import TypeAlias

from anyread.errors import (
    AccessError,
    DirectoryError,
    FileChangedError,
    NotFoundError,
    NotRegularFileError,
    StoreError,
)
from anyread.running.fetching import awaited

from .store import BLOCK, Blocks, Fetched

Output: TypeAlias = "tuple[int, str | bytes]"
Run: TypeAlias = Callable[[list[str]], "Output | Awaitable[Output]"]
"""Runs a program with arguments, and returns its exit code and what it has written."""

COUNTED_BYTES = 256 * 1024 * 1024
"""The size of a file up to which its lines are counted with its first blocks."""
_LEAST_OUTPUT, _MOST_OUTPUT = 16 * 1024, 2 * 1024 * 1024
"""The bounds of what is asked for at once; more would take too long to decode on an event loop."""
_OVERHEAD = 4 * 1024
"""The bytes of an answer besides its data, at most: the state twice, and a path."""
_SETTLED_S = 3
_ATTEMPTS = 4

_FUNCTIONS = r"""
exec 2>/dev/null
export LC_ALL=C
m=$1 p=$2 b=$3; shift 3
s() { stat -L -c '%s %i %Y %Z %y %z' -- "$p" || stat -L -f '%z %i %m %c %Fm %Fc' -- "$p"; }
e() { printf '\n%s error %s\n' "$m" "$1"; exit 0; }
[ -e "$p" ] || e missing
[ -d "$p" ] && e directory
[ -f "$p" ] || e special
[ -r "$p" ] || e denied
v=$(s) && z=${v%% *} || e stat
printf '\n%s state %s\n%s now %s\n' "$m" "$v" "$m" "$(date +%s)"
"""
_READ = (
    _FUNCTIONS
    + r"""
c=$1 q=$2; shift 2
printf '%s real ' "$m"; readlink -f -- "$p" | base64 | tr -d '\n'; echo
printf '%s root ' "$m"; readlink -f -- "$q" | base64 | tr -d '\n'; echo
n=$z
[ "$#" -gt 0 ] && [ "$z" -le "$b" ] && n=$(wc -c < "$p" | tr -d ' ')
if [ -n "$n" ] && [ "$n" != "$z" ]; then
  d=$(head -c $(( ${1##*:} * b + 1 )) < "$p" | base64)
  printf '%s stream %s\n%s\n' "$m" "${#d}" "$d"
  set --
fi
[ "$z" -le "$c" ] && printf '%s lines %s\n' "$m" "$(head -c "$z" < "$p" | wc -l)"
for r; do
  k=${r%%:*} n=${r##*:}
  case $k in -) k=$(( (z + b - 1) / b - n )); [ "$k" -lt 0 ] && k=0;; esac
  printf '%s data %s\n' "$m" "$k"
  dd if="$p" bs="$b" skip="$k" count="$n" | base64
done
printf '\n%s after %s\n' "$m" "$(s)"
"""
)
_COUNT = (
    _FUNCTIONS
    + r"""
k=$1 n=$2 z=$3
printf '%s counts' "$m"
while [ "$n" -gt 0 ]; do
  l=$(( z - k * b )); [ "$l" -gt "$b" ] && l=$b
  printf ' %s' "$(dd if="$p" bs="$b" skip="$k" count=1 | head -c "$l" | wc -l)"
  k=$((k + 1)) n=$((n - 1))
done
printf '\n%s after %s\n' "$m" "$(s)"
"""
)


class _DamagedError(Exception):
    """What came back is not what was asked for: cut, mixed with something else, or wrong."""


class Commands:
    """The files of a sandbox that runs commands.

    Args:
        run: Runs a program, such as `["sh", "-c", "…"]`, and returns its exit code and its output, as text or
            bytes; it may be asynchronous. One that blocks is called in a thread.
        root: The directory of the sandbox that the mount shows; `None`: the one with the path of the mount,
            so that all paths are the same on both sides.
        max_output: The most bytes that `run` returns at once; not more than 2 MiB are asked for. If an answer
            comes back cut, it is halved.
        shell: The shell, to which a script is appended.

    Example:
        >>> import os, subprocess
        >>> from anyread.sources import Commands
        >>> def run(argv):  # where the files are: ["docker", "exec", "box", *argv]
        ...     done = subprocess.run(argv, capture_output=True)
        ...     return done.returncode, done.stdout
        >>> reader = anyread.Reader(mounts={os.getcwd(): Commands(run)})
        >>> reader.read_sync("server.log").total_lines
        500000
    """

    def __init__(
        self,
        run: Run,
        *,
        root: str | None = None,
        max_output: int = 256 * 1024,
        shell: Sequence[str] = ("sh", "-c"),
    ) -> None:
        self._run = run
        self.root: str
        if root is not None:
            self.root = root
        self.max_output = max_output
        """The most bytes that are asked for at once, in bytes of output."""
        self.blocks = not (iscoroutinefunction(run) or iscoroutinefunction(getattr(run, "__call__", None)))  # noqa: B004 - its method
        """Whether `run` blocks, as far as is known before it is called."""
        self._shell = list(shell)

    @property
    def most_bytes(self) -> int:
        """The most bytes of a file that one command is asked for; base64 makes a third more of them."""
        room = max(min(self.max_output, _MOST_OUTPUT), _LEAST_OUTPUT) - _OVERHEAD
        return max(room * 76 // 77 * 3 // 4 // BLOCK, 1) * BLOCK

    def mounted(self, path: str) -> Commands:
        """Return these files for a mount; see `Store`."""
        if hasattr(self, "root"):
            return self
        here = copy(self)
        here.root = path
        return here

    async def get(self, path: str, wanted: Sequence[Blocks], version: str | None) -> Fetched:
        """Return the state of a file, and blocks of it, with one command; see `Store.get`."""
        for attempt in range(_ATTEMPTS):
            # Each part gets its share of what fits, so that each makes progress.
            most, all_blocks = self.most_bytes // BLOCK, max(sum(part.length for part in wanted), 1)
            share = min(most / all_blocks, 1)
            parts = [Blocks(part.first, max(int(part.length * share), 1)) for part in wanted]
            ranges = [f"{'-' if part.first is None else part.first}:{part.length}" for part in parts]
            counted = COUNTED_BYTES if wanted and version is None else -1
            mark, text = await self._said(_READ, path, str(BLOCK), str(counted), self.root, *ranges)
            try:
                return _fetched(path, mark, text.split("\n"), parts, version, self.root)
            except _DamagedError as error:
                if attempt + 1 == _ATTEMPTS:
                    raise StoreError(path, reason=f"the output of a command is damaged: {error}") from None
                # Perhaps it was cut.
                self.max_output = max(min(self.max_output // 2, len(text)), _LEAST_OUTPUT)
        raise AssertionError

    async def count(self, path: str, start: int, step: int, steps: int, version: str) -> list[int]:
        """Count the line feeds in steps of a file, with one command; see `Store`."""
        size = version.partition(" ")[0]
        mark, text = await self._said(_COUNT, path, str(step), str(start // step), str(steps), size)
        try:
            facts = dict(_facts(path, mark, text.split("\n")))
            _grown(path, version, facts["state"], facts["after"])
            return [_number(count) for count in facts["counts"].split()]
        except (KeyError, _DamagedError) as error:
            raise StoreError(path, reason=f"the output of a command is damaged: {error}") from None

    async def _said(self, script: str, path: str, *arguments: str) -> tuple[str, str]:
        """Run a script; return the mark of its own lines, and the output."""
        mark = f"M{secrets.token_hex(8)}"
        code, output = await awaited(self._run([*self._shell, script, "sh", mark, path, *arguments]))
        output = output[: 4 * self.max_output + 65_536]
        text = output.decode("latin-1") if isinstance(output, bytes) else output
        if mark not in text and code != 0:
            reason = f"a command failed with exit code {code}: {' '.join(text.split())[:200]}"
            raise StoreError(path, reason=reason)
        return mark, text.replace("\r", "")


def _facts(path: str, mark: str, lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield what the script says, and the lines of data with an empty name."""
    for line in lines:
        if not line.startswith(mark):
            yield "", line
            continue
        word, _, rest = line[len(mark) + 1 :].partition(" ")
        if word == "error":
            raise _refusal(path, rest)
        yield word, rest


def _refusal(path: str, word: str) -> Exception:
    if word == "missing":
        return NotFoundError(path)
    if word == "directory":
        return DirectoryError(path, more=True)
    if word == "special":
        return NotRegularFileError(path, file_type="special file")
    if word == "denied":
        return AccessError(path)
    return StoreError(path, reason="its state cannot be read")


def _grown(path: str, version: str, *states: str) -> bool:
    """Return whether a file has grown; refuse one that has changed in another way."""
    size, inode, *_ = map(_number, version.split(" ")[:2])
    for state in states:
        size_then, inode_then, *_ = map(_number, [*state.split(" ")[:2], "", ""][:2])
        if state != version and (inode_then != inode or size_then <= size):
            raise FileChangedError(path, change="rewritten")
    return any(state != version for state in states)


def _fetched(  # noqa: PLR0917 - as of its only caller
    path: str, mark: str, lines: Sequence[str], wanted: Sequence[Blocks], version: str | None, root: str
) -> Fetched:
    facts: dict[str, str] = {}
    found: list[tuple[int, list[str]]] = []
    for word, rest in _facts(path, mark, lines):
        if word in {"data", "stream"}:
            found.append((_number(rest), []))
        if word:
            facts[word] = rest
        elif found and "after" not in facts:
            found[-1][1].append(rest)
    if "after" not in facts or "state" not in facts:
        raise _DamagedError("it is cut")
    state = version or facts["state"]
    size, _, modified, changed = map(_number, [*state.split(" ")[:4], "", "", ""][:4])
    about = Fetched(
        size,
        state,
        modified_ns=modified * 1_000_000_000,
        is_settled=_number(facts.get("now") or "0") - max(modified, changed) >= _SETTLED_S,
        real_path=_real_path(facts, root),
    )
    if "stream" in facts:
        # As of `/proc` and `/sys`, whose files have another size than their content.
        [(length, parts)] = found
        text = "\n".join(parts).rstrip("\n")
        if len(text) != length:
            raise _DamagedError("it is cut")
        data = _decoded(text.replace("\n", ""))
        if len(data) > wanted[0].length * BLOCK:
            raise StoreError(path, reason=f"its size is not known, and it has over {len(data) - 1:,} bytes")
        return about._replace(size=len(data), pieces=[(0, data)], is_settled=False)
    if len(found) != len(wanted):
        raise _DamagedError("it is cut")
    is_grown = _grown(path, state, facts["state"], facts["after"])
    pieces = []
    for (number, encoded), (first, length) in zip(found, wanted, strict=True):
        last = max((size + BLOCK - 1) // BLOCK - length, 0) if first is None else first
        data, expected = _decoded("".join(encoded)), max(0, min(length * BLOCK, size - last * BLOCK))
        if number != last or (len(data) < expected if is_grown else len(data) != expected):
            raise _DamagedError(f"it has {len(data):,} bytes of another number")
        pieces.append((number * BLOCK, data[:expected]))
    line_feeds = facts.get("lines", "").strip()
    return about._replace(
        pieces=pieces,
        is_settled=about.is_settled and not is_grown,
        line_feeds=_number(line_feeds) if line_feeds else None,
    )


def _real_path(facts: dict[str, str], root: str) -> str | None:
    """Return the real path of a file, below the root as that was passed; `None`: unknown."""
    found, inside = (
        _decoded(facts.get(name, "")).decode("utf-8", "surrogateescape").removesuffix("\n")
        for name in ("real", "root")
    )
    if not found:
        return None
    below = inside.rstrip("/") + "/"
    return f"{root.rstrip('/')}/{found[len(below) :]}" if inside and found.startswith(below) else found


def _number(text: str) -> int:
    if not re.fullmatch(r"-?[0-9]{1,19}", text):
        raise _DamagedError(f"{text[:20]!r} is no number")
    return int(text)


def _decoded(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except ValueError:
        raise _DamagedError("it is not base64") from None
