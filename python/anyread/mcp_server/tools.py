"""The tool that is served: its contract, what it may read, and what the model accepts."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from anyread.arguments.gutter import Gutter
from anyread.arguments.limits import Limits
from anyread.arguments.paths import AnyPath, displayed
from anyread.models.model import Model, model_of
from anyread.reader import Reader
from anyread.registry import HOSTS
from anyread.session import Record, Session
from anyread.sources import Store
from anyread.tools import Tool, tool
from anyread.tools.parts.files import like

MAX_TOKENS = 20_000
"""Tokens per reply: hosts refuse replies over 25,000 tokens, and each counts them differently."""
MAX_RESULT_CHARS = 500_000
"""The maximum number of characters of a result that Claude Code shows, whatever a tool announces.

Source: the ceiling in the Claude Code that the package claude-agent-sdk 0.2.187 bundles, 2026-11-22.
"""

reads: ContextVar[list[Record] | None] = ContextVar("anyread_mcp_reads", default=None)
"""The list that collects the reads of the call that the current task answers."""


class Tools:
    """Make the tool that a server offers.

    Args:
        name: The contract, one of `anyread.tools.CONTRACTS`.
        roots: Directories that may be read; relative paths are relative to the first.
        deny: Globs of files that are refused, and "secrets", as in `Reader`.
        model: What the model accepts, as a `Model` or a name for `Model.named`; `None`: "mcp"
            for our own contract; other contracts have their own limits.
        pdf: "pages" shows PDFs as text and images; "document" sends the file itself if it is small
            enough, for hosts that pass it on.
        max_tokens: Estimated tokens per reply; `None`: `MAX_TOKENS`. Other contracts have their own limits.
        host: The host that connects, one of `HOSTS`; `None`: detected from the client's name.
        gutter: The format of line numbers of our own contract; other contracts have their own.
        mounts: Where the files below some paths are, if not on this machine, as in `Reader`; only our own
            contract reads them.
        decompress: Whether our own contract reads the text in gzip files; other contracts refuse them.

    Raises:
        ValueError: The contract, model or host is unknown.
        ReadError: A root cannot be opened.
    """

    def __init__(
        self,
        name: str = "anyread",
        *,
        roots: Iterable[AnyPath],
        deny: Literal["secrets"] | Iterable[str] = (),
        model: Model | str | None = None,
        pdf: Literal["pages", "document"] = "pages",
        max_tokens: int | None = None,
        host: str | None = None,
        gutter: Gutter = Gutter.TAB,
        mounts: Mapping[str, Store] = MappingProxyType({}),
        decompress: bool = False,
    ) -> None:
        if host is not None and host not in HOSTS:
            raise ValueError(f"unknown host `{host}`; the supported ones are {', '.join(HOSTS)}")
        self.host = host
        """Which of `HOSTS` connects, if it was set."""
        roots = list(roots)
        self._name = name
        self._model = _model(model, pdf)
        limits = Limits(max_tokens=max_tokens or MAX_TOKENS)
        self._reader = Reader(
            roots=roots,
            deny=deny,
            limits=limits,
            model=self._model,
            gutter=gutter,
            mounts=mounts,
            decompress=decompress,
        )
        first, *others = [*(displayed(Path(os.fsdecode(root)).absolute()) for root in roots), *mounts]
        self.instructions = f"Relative paths are relative to `{first}`." + "".join(
            f" Files in `{other}` can be read too." for other in others
        )
        """What a model should know about the server."""
        self._remembering = self._make(Session(on_read=_note))
        own_chars = limits.max_bytes if name == "anyread" else None
        self.max_result_chars = own_chars or self._remembering.max_result_bytes or MAX_RESULT_CHARS
        """The maximum length of a reply, in characters; contracts other than our own may have no limit."""

    def for_one_model(self) -> Tool:
        """Return the tool that remembers what was read, as some contracts require."""
        return self._remembering

    def for_many_models(self) -> Tool:
        """Return a tool that remembers nothing.

        It must not report to one model that a file is unchanged because another model has read it.
        """
        return self._make(_Forgetful(on_read=_note))

    def without_images(self) -> Tool:
        """Return a tool for hosts that show the model no images; it remembers nothing."""
        model = Model.text_only()
        reader = like(self._reader, model=model)
        return tool(self._name, reader=reader, model=model, session=_Forgetful(on_read=_note))

    def _make(self, session: Session) -> Tool:
        return tool(self._name, reader=self._reader, model=self._model, session=session)


class _Forgetful(Session):
    """A session that reports reads and remembers none."""

    def note(self, record: Record) -> None:
        super().note(record)
        self.forget()


def facts(record: Record) -> dict[str, Any]:
    """Return the data of a read that a program may need, as JSON values."""
    data = {
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
    return {name: value for name, value in data.items() if value is not None}


def _note(record: Record) -> None:
    noted = reads.get()
    if noted is not None:
        noted.append(record)


def _model(wanted: Model | str | None, pdf: str) -> Model | None:
    if wanted is None and pdf == "pages":
        return None
    model = model_of("Tools(model=…)", "mcp" if wanted is None else wanted)
    if pdf == "document":
        return replace(model, inputs=model.inputs | {"pdf"})
    # Hosts drop documents from the replies of tools, even if the model accepts them.
    return replace(model, inputs=model.inputs - {"pdf"})
