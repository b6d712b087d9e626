"""Parts of PDF pages: continuations inside a page, regions, and the size of images of pages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import anyread
from anyread.arguments.limits import Limits
from anyread.arguments.request import Request
from anyread.models.model import Model
from helpers.media import decoded, drawing, pdf, read_sync, request_of, text_pdf


def written(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "a.pdf"
    path.write_bytes(data)
    return path


def followed(path: Path, request: Request, **options: Any) -> list[Any]:
    """Follow `next` to the end, and return all results."""
    results = [read_sync(path, request, **options)]
    while results[-1].next is not None:
        assert len(results) < 100
        arguments = dict(results[-1].next.arguments)
        assert arguments.pop("since_version") == results[-1].version
        results.append(read_sync(path, request_of(**arguments), **options))
    return results


@pytest.mark.parametrize("limits", [Limits(max_tokens=250), Limits(max_bytes=400), Limits(max_bytes=1)])
@pytest.mark.parametrize("model", [Model.any(), Model.text_only()])
def test_page_over_the_budget_is_continued_inside(tmp_path: Path, limits: Limits, model: Model) -> None:
    """A page over the budget was cut, and no continuation was returned for its rest."""
    lines = 2 if limits.max_bytes == 1 else 50
    path = written(tmp_path, text_pdf(2, lines=lines).replace(b"tells of the sea", b"tells \\344"))
    whole = read_sync(path, limits=Limits(max_tokens=10**6), model=model)
    results = followed(path, request_of(), limits=limits, model=model)
    for number in (1, 2):
        parts = [page.text for result in results for page in result.pages if page.number == number]
        assert "".join(parts) == whole.pages[number - 1].text
        # A page is cut at the end of a line if one is near.
        assert limits.max_bytes == 1 or all(part.endswith("\n") for part in parts[:-1])
    assert all(result.truncated == (result.next is not None) for result in results)
    assert limits.max_bytes == 1 or all(result.token_estimate <= limits.max_tokens for result in results)


def test_cut_page_states_what_is_shown_and_what_is_next(tmp_path: Path) -> None:
    path = written(tmp_path, text_pdf(3, lines=50))
    result = read_sync(path, request_of(pages="2-3"), limits=Limits(max_tokens=250))
    column = result.next.arguments["column"]
    assert result.next.arguments["pages"] == "2-3"
    assert len(result.pages[0].text) == column - 1
    total = len(read_sync(path, request_of(pages="2")).pages[0].text)
    tail = f'[page 2 of 3, characters 1-{column - 1:,} of {total:,} · next: pages="2-3", column={column}]'
    assert result.text.endswith(tail)
    (clipped,) = result.notices
    assert (clipped.code, clipped.data) == ("clipped", {"pages": [2]})
    following = read_sync(path, request_of(pages="2", column=column), limits=Limits(max_tokens=250))
    assert following.text.startswith(f"[page 2 of 3 from character {column:,}]\nline ")
    assert following.next.arguments["pages"] == "2"


@pytest.mark.parametrize(
    ("model", "max_tokens"),
    [
        (Model.named("gpt-4o-mini"), 25_000),
        (Model.any(), 1_500),
        (Model.any(), 2_000),
        (Model.named("claude-sonnet-5"), 4_000),
        (Model.gemini(), 1_500),
    ],
)
@pytest.mark.parametrize("is_scan", [False, True])
def test_images_over_the_budget_are_scaled_down(
    tmp_path: Path, model: Model, max_tokens: int, is_scan: bool
) -> None:
    """They vanished: a scan of three pages became three times "no text layer", without a notice."""
    path = written(
        tmp_path, pdf([b"0 0 1 rg 100 100 300 500 re f"] * 3) if is_scan else text_pdf(3, lines=10)
    )
    reader, seen = anyread.Reader(limits=Limits(max_tokens=max_tokens), model=model), []
    for result in reader.pages_sync(path, kind="pdf", pages="1-"):
        assert result.token_estimate <= max_tokens
        for page in result.pages:
            assert page.image is not None
            assert min(page.image.width, page.image.height) > 256
            seen.append(page.number)
    assert seen == [1, 2, 3]


@pytest.mark.parametrize("is_scan", [False, True])
def test_image_that_does_not_fit_is_named(tmp_path: Path, is_scan: bool) -> None:
    path = written(tmp_path, pdf([b"0 0 1 rg 100 100 300 500 re f"]) if is_scan else text_pdf(1, lines=10))
    result = read_sync(path, limits=Limits(max_tokens=1_000), model=Model.gemini())
    assert result.pages[0].image is None
    assert result.degraded is not None
    assert "the image of page 1 has about 1,120 tokens" in result.degraded
    assert "degraded" in [notice.code for notice in result.notices]
    line = "no text layer; its image is over the budget" if is_scan else "· its image is over the budget]"
    assert line in result.text.splitlines()[0]


ANY_MODEL_TOKENS = Model.any().image_tokens
assert ANY_MODEL_TOKENS is not None


@pytest.mark.parametrize(
    ("model", "size"),
    [
        (Model(max_long_edge=1_568), (1_212, 1_568)),
        (Model.any(), ANY_MODEL_TOKENS.size(1_212, 1_568)),
        (Model(), (1_207, 1_562)),
        (Model(max_long_edge=4_000), (1_700, 2_200)),
    ],
)
def test_page_is_rendered_at_the_size_that_the_model_sees(tmp_path: Path, model: Model, size: Any) -> None:
    """Pages were rendered at 100 dpi, at which small print could not be read."""
    path = written(tmp_path, text_pdf(1))
    image = read_sync(path, model=model, limits=Limits(max_tokens=50_000)).pages[0].image
    assert (image.width, image.height) == size
    image = read_sync(path, model=model, limits=Limits(dpi=36)).pages[0].image
    assert (image.width, image.height) == (306, 396)


A0 = b"[0 0 2384 3370]"


def plan(rotate: bytes = b"") -> bytes:
    """Draw a plan of A0: a black square of 10 points near its top right corner, with a label of 4 points."""
    content = b"2300 3300 10 10 re f BT /F 4 Tf 2320 3303 Td (valve 17) Tj ET BT /F 4 Tf 20 20 Td (far) Tj ET"
    return pdf([content], box=A0 + rotate)


@pytest.mark.parametrize(
    ("rotate", "region"),
    [
        (b"", (2_295, 55, 80, 20)),
        (b"/Rotate 90", (3_295, 2_295, 20, 80)),
        (b"/Rotate 180", (5, 3_295, 85, 20)),
    ],
)
def test_region_of_a_large_plan_can_be_read(tmp_path: Path, rotate: bytes, region: Any) -> None:
    """A plan of A0 could only be shown as an image of 33 dpi."""
    path = written(tmp_path, plan(rotate))
    whole = read_sync(path)
    width, height = (3_370, 2_384) if rotate == b"/Rotate 90" else (2_384, 3_370)
    assert f"· {width:,}×{height:,} points, shown at " in whole.text
    assert "region=(x, y, width, height) in points shows a part larger]" in whole.text
    part = read_sync(path, request_of(region=region))
    (page,) = part.pages
    x, y, across, down = region
    assert page.shown_text == f"[page 1 of 1 · region=({x}, {y}, {across}, {down}) in points]\nvalve 17"
    shown = decoded(page.image.data).convert("L")
    assert (shown.width, shown.height) == (round(across * 600 / 72), round(down * 600 / 72))
    square = {b"": (5, 5), b"/Rotate 90": (5, 5), b"/Rotate 180": (69, 5)}[rotate]
    across, down = (round((edge + 5) * 600 / 72) for edge in square)
    assert shown.getpixel((across, down)) == 0
    assert part.next is None


def test_region_is_of_one_page_and_clipped_to_it(tmp_path: Path) -> None:
    path = written(tmp_path, text_pdf(3))
    part = read_sync(path, request_of(pages="2-", region=(-50, 50, 10_000, 20)), model=Model.anthropic())
    assert [page.text for page in part.pages] == ["line 1 of page 2 tells of the sea"]
    assert (part.mode, part.next, part.document) == ("both", None, None)
    text_only = read_sync(path, request_of(pages="2", region=(0, 76, 612, 10)), model=Model.text_only())
    assert text_only.pages[0].text == "line 2 of page 2 tells of the sea"
    empty = read_sync(path, request_of(region=(0, 700, 100, 50)))
    assert empty.text.startswith("[page 1 of 3 · region=(0, 700, 100, 50) in points: no text]")
    assert empty.pages[0].image is not None


@pytest.mark.parametrize("pages", ["2-4", "2-"])
@pytest.mark.parametrize("name", ["a.pdf", "a.tiff"])
def test_region_of_several_pages_has_a_notice(tmp_path: Path, pages: str, name: str) -> None:
    """Page 2 was shown, without a word about the others."""
    path = tmp_path / name
    if name == "a.pdf":
        path.write_bytes(text_pdf(5))
    else:
        first, *more = [drawing(60, 40)] * 5
        first.save(path, save_all=True, append_images=more)
    (notice,) = anyread.read_sync(path, pages=pages, region=(0, 35, 600, 40)).notices
    assert (notice.code, notice.data) == ("region_of_one_page", {"page": 2})
    for single in ("2", "5-", None):
        assert anyread.read_sync(path, pages=single, region=(0, 35, 600, 40)).notices == ()


def test_text_of_a_region_over_the_budget_is_continued(tmp_path: Path) -> None:
    path = written(tmp_path, text_pdf(1, lines=50))
    results = followed(path, request_of(region=(0, 0, 612, 400)), limits=Limits(max_tokens=150))
    assert len(results) > 1
    assert results[1].text.startswith("[page 1 of 1 · region=(0, 0, 612, 400) in points")
    text = "".join(page.text for result in results for page in result.pages)
    assert text.splitlines()[0].startswith("line 1 ")
    assert len(text.splitlines()) < 50


# -- the same in every way to read


LIMITS = Limits(max_tokens=250)


def test_tool_continues_inside_a_page_and_accepts_a_page_as_a_number(tmp_path: Path) -> None:
    path = written(tmp_path, text_pdf(3, lines=50))
    tool = anyread.tool("anyread", cwd=tmp_path, reader=anyread.Reader(limits=LIMITS))
    first = tool.call_sync({"path": str(path), "pages": 2})
    assert first["next"]["pages"] == "2"
    second = tool.call_sync({"path": str(path), **first["next"]})
    begin = f"[page 2 of 3 from character {first['next']['column']:,}]"
    assert second["content"][0]["text"].startswith(begin)
    for pages in (2, 2.0, "2"):
        shown = tool.call_sync({"path": str(path), "pages": pages})
        assert shown["content"][0]["text"].startswith("[page 2 of 3 ·")
    assert tool.call_sync({"path": str(path), "pages": 0})["first"] == 1
    part = tool.call_sync({"path": str(path), "pages": 1, "region": [0, 50, 600, 20]})
    assert part["content"][0]["text"].endswith("line 1 of page 1 tells of the sea")
    schema = tool.definitions()[0].input_schema["properties"]["pages"]
    assert {kind["type"] for kind in schema["anyOf"]} == {"string", "integer"}
