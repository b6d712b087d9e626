"""Which tool is served: its contract, what it may read and what the model takes."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from anyread.limits import Limits
from anyread.model import PRESETS, Model
from anyread.paths import AnyPath, displayed
from anyread.reader import Reader
from anyread.session import Record, Session
from anyread.tools import Tool, tool
from anyread.tools.anyread_tool import NOTICE_PART
from anyread.tools.exchange import like

from .hosts import HOSTS

MAX_TOKENS = 20_000
"""Tokens of a reply: hosts refuse replies over 25,000, by a count of their own."""
MAX_RESULT_CHARS = 500_000
"""The most characters of a result that Claude Code shows a model, whatever a tool announces.

Source: the ceiling in the Claude Code that the package claude-agent-sdk 0.2.187 bundles, 2026-11-22.
"""

reads: ContextVar[list[Record] | None] = ContextVar("anyread_mcp_reads", default=None)
"""Where the reads of the call that a task answers are noted."""


class Tools:
    """Make the tool of a server.

    Args:
        name: The contract, one of `anyread.tools.PROFILES`.
        roots: Folders that may be read; a relative path is looked for in the first.
        deny: Globs of files that are refused.
        model: What the model takes: one of `PRESETS`, or a name that `Model.named` knows; `None`: "mcp"
            for our own contract, and for the others what they say themselves.
        pdf: "pages" shows PDFs as text and pictures; "document" sends the file itself where it
            is small enough, for hosts that hand it on.
        max_tokens: Tokens of a reply, estimated, `None`: `MAX_TOKENS`; other contracts than our own
            have limits of their own.
        host: The host that connects, one of `HOSTS`; `None`: whichever the client says.

    Raises:
        ValueError: There is no such contract, model or host.
        ReadError: A root cannot be opened.
    """

    def __init__(
        self,
        name: str = "anyread",
        *,
        roots: Iterable[AnyPath],
        deny: Iterable[str] = (),
        model: str | None = None,
        pdf: Literal["pages", "document"] = "pages",
        max_tokens: int | None = None,
        host: str | None = None,
    ) -> None:
        if host is not None and host not in HOSTS:
            raise ValueError(f"there is no host {host!r} that needs care; there are {', '.join(HOSTS)}")
        self.host = host
        """Which of `HOSTS` connects, if that was said."""
        roots = list(roots)
        self._name = name
        self._model = _model(model, pdf)
        # The notices of a page come on top of its tokens.
        page_tokens = max(1, (max_tokens or MAX_TOKENS) * NOTICE_PART // (NOTICE_PART + 1))
        limits = Limits(max_tokens=page_tokens)
        self._reader = Reader(roots=roots, deny=deny, limits=limits, model=self._model)
        first, *others = (displayed(Path(os.fsdecode(root)).absolute()) for root in roots)
        self.instructions = f"Relative paths start in `{first}`." + "".join(
            f" Files below `{other}` can be read, too." for other in others
        )
        """What a model should know of the server."""
        self._remembering = self._make(Session(on_read=_note))
        own_chars = limits.max_bytes * (NOTICE_PART + 1) // NOTICE_PART if name == "anyread" else None
        self.max_result_chars = own_chars or self._remembering.max_result_bytes or MAX_RESULT_CHARS
        """Characters of text that a reply has at most; contracts other than our own may state no limit."""

    def for_one_model(self) -> Tool:
        """Give the tool that remembers what was read, as some contracts have it."""
        return self._remembering

    def for_many_models(self) -> Tool:
        """Give a tool that remembers nothing.

        It must not tell a model that a file is unchanged because another one has read it.
        """
        return self._make(_Forgetful(on_read=_note))

    def without_pictures(self) -> Tool:
        """Give a tool for hosts that show the model no pictures; it remembers nothing."""
        model = Model.text_only()
        reader = like(self._reader, model=model)
        return tool(self._name, reader=reader, model=model, session=_Forgetful(on_read=_note))

    def _make(self, session: Session) -> Tool:
        return tool(self._name, reader=self._reader, model=self._model, session=session)


class _Forgetful(Session):
    """A session that tells of reads and remembers none."""

    def note(self, record: Record) -> None:
        super().note(record)
        self.forget()


def facts(record: Record) -> dict[str, Any]:
    """Tell of a read what a program may want to know, as JSON has it."""
    told = {
        "path": record.path,
        "kind": record.kind,
        "media_type": record.media_type,
        "form": record.form,
        "size_bytes": record.stamp.size_bytes,
        "modified_ns": record.stamp.modified_ns,
        "content_hash": record.content_hash,
        "offset": record.offset,
        "limit": record.limit,
        "pages": record.pages,
    }
    return {name: value for name, value in told.items() if value is not None}


def _note(record: Record) -> None:
    noted = reads.get()
    if noted is not None:
        noted.append(record)


def _model(name: str | None, pdf: str) -> Model | None:
    if name is None and pdf == "pages":
        return None
    preset = PRESETS.get(name or "mcp")
    try:
        model = Model.named(name or "mcp") if preset is None else preset()
    except ValueError:
        there = ", ".join(map(repr, PRESETS))
        raise ValueError(
            f"there is no model {name!r}; there are {there}, and the names of `anyread.named_models`"
        ) from None
    if pdf == "document":
        return replace(model, inputs=model.inputs | {"pdf"})
    # Whatever the model's own API takes, hosts drop documents in the replies of tools.
    return replace(model, inputs=model.inputs - {"pdf"})
