"""`max_tokens` and `max_bytes` of one call: the smaller of them and of the reader's limits holds."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import anyread
from anyread import Limits, Model, Reader
from helpers.media import text_pdf
from helpers.notebooks import code, display, markdown, png, stream, write

NAMES = ("max_tokens", "max_bytes")
MODELS = [None, Model.anthropic(), Model.text_only()]


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    directory = tmp_path_factory.mktemp("samples")
    lines = [f"line {number} " + "é日" * (number % 40) for number in range(400)]
    (directory / "text.txt").write_text("\n".join(lines), "utf-8")
    (directory / "line.txt").write_text("word " * 4_000, "utf-8")
    (directory / "pages.pdf").write_bytes(text_pdf(3, lines=20))
    cells = [
        code(f"plot({number})", stream("x " * 300), display(**{"image/png": png(300, 200, number)}))
        for number in range(6)
    ]
    write(directory, markdown("# Title"), *cells, name="cells.ipynb")
    # A file that was just written has no version yet, which pages that are compared would differ in.
    time.sleep(0.05)
    return {path.suffix if path.stem != "line" else "line": path for path in directory.iterdir()}


@pytest.fixture(scope="module")
def readers() -> Callable[..., Reader]:
    """Make each reader once, because many examples use the same one."""
    made: dict[Any, Reader] = {}

    def reader(model: int, **limits: Any) -> Reader:
        key = (model, *limits.items())
        if key not in made:
            made[key] = Reader(limits=Limits(decode_timeout_s=60, **limits), model=MODELS[model])
        return made[key]

    return reader


def page_or_error(reader: Reader, path: Path, **arguments: Any) -> anyread.Page | anyread.ReadError:
    try:
        page: anyread.Page = reader.read_sync(path, **arguments)
    except anyread.ReadError as error:
        return error
    return page


def shown(page: anyread.Page | anyread.ReadError) -> dict[str, Any]:
    """Return all that a page says, except that the next call repeats the budget."""
    fields = page.to_dict(include_bytes=True)
    for following in (fields.get("next"), *fields.get("clipped", ())):
        for name in NAMES:
            (following or {"arguments": {}})["arguments"].pop(name, None)
    return fields


@pytest.mark.slow
@pytest.mark.parametrize("sample", [".txt", "line", ".pdf", ".ipynb"])
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    asked=st.integers(1, 3_000),
    limit=st.integers(1, 3_000),
    model=st.integers(0, 2),
    over_budget=st.sampled_from(["page", "error"]),
)
def test_smaller_budget_holds_for_every_kind_of_file(
    samples: dict[str, Path],
    readers: Callable[..., Reader],
    sample: str,
    name: Literal["max_tokens", "max_bytes"],
    asked: int,
    limit: int,
    model: int,
    over_budget: str,
) -> None:
    """A read with a budget shows what a reader shows that has the smaller budget as its limit."""
    limited = readers(model, over_budget=over_budget, **{name: min(asked, limit)})
    reader = readers(model, over_budget=over_budget, **{name: limit})
    arguments: Any = {name: asked}
    expected = page_or_error(limited, samples[sample])
    page = page_or_error(reader, samples[sample], **arguments)
    assert shown(page) == shown(expected)
    assert isinstance(page, anyread.ReadError) or page.next is None or page.next[name] == asked


def test_budget_of_each_file_and_of_all_files_both_hold(samples: dict[str, Path]) -> None:
    paths = [samples[".txt"]] * 4
    each = anyread.read_sync(samples[".txt"], max_tokens=300)
    results = [*anyread.read_many_sync(paths, max_tokens=300, budget_tokens=700)]
    assert [result.text for result in results[:2] if not isinstance(result, anyread.Failed)] == [
        each.text
    ] * 2
    assert sum(anyread._native.count_tokens(getattr(result, "text", ""), None) for result in results) <= 700
