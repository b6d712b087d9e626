"""Readers that are commands, started once for each call."""

from __future__ import annotations

import re
import shlex
import subprocess
import time
from dataclasses import replace
from typing import Any

from anyread_conformance.reply import Reply, reply_of

from .calling import PARAMETERS, ReaderStartError
from .output import Drain
from .watching import MemoryWatch, end, start

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


class CommandReader:
    """A command with placeholders, such as `reader {path} --offset {offset} --limit {limit}`.

    Args:
        template: The command; `{path}` is required, `{offset}`, `{limit}` and `{end}` are optional.
        whole: The command for a read without a range. By default, words of `template` with a placeholder
            other than `{path}` are left out, each with the option in front of it.
    """

    def __init__(self, template: str, whole: str | None = None) -> None:
        self.name = template
        self._words = shlex.split(template)
        names = {name for word in self._words for name in _PLACEHOLDER.findall(word)}
        unknown = names - set(PARAMETERS) - {"range"}
        if unknown or "path" not in names or "range" in names:
            raise ReaderStartError(
                "the command needs {path} and may have {offset}, {limit} and {end}, and no other placeholder"
            )
        self.parameters = frozenset(names)
        self._whole = shlex.split(whole) if whole is not None else _without_range(self._words)

    def read(self, arguments: dict[str, Any], timeout_s: float, *, memory_bytes: int) -> Reply:
        """Run the command once."""
        words = self._words if len(arguments) > 1 else self._whole
        command = [
            _PLACEHOLDER.sub(lambda found: str(arguments.get(found[1], found[0])), word) for word in words
        ]
        started = time.perf_counter()
        try:
            process = start(command, stdin=subprocess.DEVNULL)
        except (OSError, ValueError) as failure:
            return Reply(str(failure), outcome="refused")
        assert process.stdout is not None
        assert process.stderr is not None
        output, errors = Drain(process.stdout), Drain(process.stderr)
        is_late = False
        with MemoryWatch(process, memory_bytes) as watch:
            while process.poll() is None and not output.flooded.is_set():
                is_late = time.perf_counter() - started > timeout_s
                if is_late:
                    break
                output.flooded.wait(0.002)
            end(process)
        seconds = time.perf_counter() - started
        reply = self._reply(process.returncode, output, errors)
        if watch.exceeded:
            reply = replace(reply, outcome="out_of_memory")
        elif output.flooded.is_set():
            reply = replace(reply, outcome="flooded")
        elif is_late:
            reply = replace(reply, outcome="hung")
        return replace(reply, seconds=seconds, memory_bytes=watch.peak_bytes)

    def close(self) -> None:
        """Do nothing: each call ends its own process."""

    @staticmethod
    def _reply(status: int, output: Drain, errors: Drain) -> Reply:
        data = output.data()
        said = errors.data().decode("utf-8", "replace")
        if status < 0:
            return Reply(f"signal {-status} {said}", outcome="crashed")
        if status != 0:
            return replace(reply_of(data, failed=True), text=f"{said}{data.decode('utf-8', 'replace')}")
        try:
            reply = reply_of(data.decode("utf-8"))
        except UnicodeDecodeError:
            reply = reply_of(data)
        # Footers and notices often go to standard error.
        return replace(reply, text=reply.text + (f"\n{said}" if said.strip() else ""))


def _without_range(words: list[str]) -> list[str]:
    kept: list[str] = []
    for word in words:
        if set(_PLACEHOLDER.findall(word)) - {"path"}:
            if kept and kept[-1].startswith("-") and _PLACEHOLDER.fullmatch(word):
                kept.pop()
        else:
            kept.append(word)
    return kept
