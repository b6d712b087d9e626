"""The pages of the API reference: which public names are on which page, in which order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import anyread
from anyread.errors.base import tree


class Part(NamedTuple):
    """A page of the reference."""

    file: str
    title: str
    about: str
    names: tuple[str, ...]
    """The full names of functions, classes and modules."""


def _of(module: str, names: str) -> tuple[str, ...]:
    return tuple(f"{module}.{name}" for name in names.split())


def _error(kind: type[anyread.ReadError]) -> str:
    """Return the shortest name of an error."""
    return kind.__name__ if kind.__name__ in anyread.__all__ else f"errors.{kind.__name__}"


PARTS = (
    Part(
        "reading.md",
        "Reading",
        "Every function is also a method of `Reader`, which has its own roots, limits and model.",
        _of(
            "anyread",
            "read read_sync pages pages_sync read_many read_many_sync files info info_sync follow follow_sync"
            " places"
            " Reader arguments.request.ReadArguments clear_caches",
        ),
    ),
    Part(
        "settings.md",
        "Limits, models, sessions",
        "What a `Reader` is made of: [limits](../limits.md), a [model](../models.md), line numbers and a"
        " session; and opened files.",
        _of("anyread", "Limits Gutter Model Session session.Record session.Stamp reading.open_file.OpenFile"),
    ),
    Part(
        "results.md",
        "Results",
        "Results are frozen. All have `to_dict()` and `to_json()`, can be compared and pickled, and can be"
        " created in your own tests. A field whose default is `DERIVED` follows from the others.",
        _of(
            "anyread",
            "TextPage ImageView PdfPages results.PdfPage NotebookPage results.Cell results.CellOutput"
            " results.CellImage results.Size results.DocumentPage results.DocumentLine"
            " results.SheetPage results.SheetRow results.SheetCell results.Sheet"
            " results.SlidesPage results.Slide results.RecordsPage results.JsonRecord"
            " results.DirectoryPage results.Entry"
            " Page Unchanged Failed"
            " NotShown results.Continuation results.Notice results.Block TextBlock ImageBlock DocumentBlock"
            " Info results.Appended"
            " reading.following.Follow reading.following.FollowSync reading.many.Many reading.many.ManySync"
            " reading.paging.Pages reading.paging.PagesSync",
        ),
    ),
    Part(
        "errors.md",
        "Errors",
        "[Errors](../errors.md) has the cause, the fix and the next call for each.",
        _of("anyread", " ".join(map(_error, tree()))),
    ),
    Part(
        "tools.md",
        "Tools",
        "[Contracts of other tools](../contracts/index.md) describes each contract.",
        _of("anyread", "tool Tool tools.Definition tools.Contract"),
    ),
    Part(
        "adapters.md",
        "Adapters",
        "[Adapters](../adapters.md) says what each API does not accept, and what is sent instead.",
        _of("anyread.adapters", "anthropic openai_responses openai_chat gemini bedrock mcp rig"),
    ),
    Part(
        "integrations.md",
        "Integrations",
        "[Agent frameworks](../integrations.md) has an example for each framework.",
        _of(
            "anyread.integrations",
            "acp anthropic claude_agent_sdk deepagents google_adk langchain openai_agents pydantic_ai"
            " smolagents strands",
        ),
    ),
    Part(
        "batch.md",
        "Batches",
        "[Many files](../batch.md) explains them.",
        _of("anyread.batch", "read_rows ReadRows survey Histogram level ROW_TYPES SURVEY_TYPES"),
    ),
)


def pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each page, in the notation of mkdocstrings."""
    for part in PARTS:
        entries = "".join(f"\n::: {name}\n" for name in part.names)
        yield part.file, f"# {part.title}\n\n{part.about}\n{entries}"
