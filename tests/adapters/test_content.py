"""Answers before their conversion: errors, several results, and media that a model does not accept."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

import anyread
from adapters.answers import GIF, JPEG, PDF, PNG
from anyread.adapters import (
    anthropic,
    bedrock,
    content,
    gemini,
    history,
    mcp,
    openai_chat,
    openai_responses,
    rig,
)
from anyread.models.model import Model
from anyread.results.blocks import DocumentBlock, ImageBlock
from helpers.media import drawing, encoded

TARGETS = [anthropic, openai_responses, openai_chat, gemini, bedrock, mcp, rig]
END = "; not shown: "


def shown_of(source: Any, model: Model | None = None, **options: Any) -> list[str]:
    """Return the texts of an answer, and the types of its media."""
    blocks = content.answer(source, model or Model.any(), **options).blocks
    return [block.text if isinstance(block, anyread.TextBlock) else block.media_type for block in blocks]


def animated(*, palettes: bool) -> bytes:
    frames = [drawing(12, 9, "P" if palettes else "L"), drawing(12, 9).rotate(180).convert("P")]
    return encoded(frames[0], "GIF", save_all=True, append_images=frames[1:], loop=0, duration=50)


@pytest.mark.parametrize("target", TARGETS)
def test_source_of_another_type_is_a_type_error(target: Any) -> None:
    for source in ("text", b"bytes", {"type": "text"}, None, 1, [1], ["text"]):
        with pytest.raises(TypeError, match="must be a result"):
            target.content(source)


def test_read_that_was_not_awaited_is_a_type_error(directory: Path) -> None:
    async def forget_to_await() -> None:
        read = anyread.read(directory / "poem.txt")
        try:
            with pytest.raises(TypeError, match="coroutine"):
                anthropic.content(read)  # type: ignore[arg-type]
        finally:
            read.close()

    asyncio.run(forget_to_await())


def test_empty_and_blank_texts_are_never_sent(directory: Path) -> None:
    (directory / "empty.txt").touch()
    (directory / "blank.txt").write_text("\n \n")
    blank = anyread.TextBlock(" \n")
    for source in ([], [blank], blank, anyread.TextBlock("")):
        assert shown_of(source) == ["[nothing to show]"]
    assert shown_of([blank, anyread.TextBlock("x")]) == ["x"]
    for name in ("empty.txt", "blank.txt"):
        (text,) = shown_of(anyread.read_sync(directory / name))
        assert text.strip()


@pytest.mark.parametrize("target", TARGETS)
def test_lone_surrogates_are_not_sent(target: Any) -> None:
    """A lone surrogate in a history made every later request of the conversation fail."""
    shape = target.content([anyread.TextBlock("a\ud83db"), anyread.TextBlock("\ud83d\ude00")])
    assert json.dumps(shape, ensure_ascii=False).encode()
    assert "a\ufffdb" in str(shape)
    assert "\U0001f600" in str(shape)


@pytest.mark.parametrize("target", TARGETS)
def test_unusual_name_of_a_document_can_be_sent(target: Any) -> None:
    block = DocumentBlock.from_bytes(PDF, name="a\udcff\n.pdf", page_count=3)
    own: dict[Any, dict[str, Any]] = {
        bedrock: {"base64": True},
        mcp: {"embed_documents": True},
        rig: {"model": Model.anthropic()},
    }
    options = own.get(target, {})
    for name in (block.name, "\n"):
        unusual = replace(block, name=name)
        assert json.dumps(target.content(unusual, **options), ensure_ascii=False).encode()
        assert "\\n" not in str(target.content(unusual, **options))


def test_several_results_have_their_names_above_them(directory: Path) -> None:
    page = anyread.read_sync(directory / "poem.txt")
    unusual = directory / "line\nfeed.txt"
    unusual.write_text("x\n")
    texts = shown_of(iter([page, anyread.read_sync(unusual), anyread.Unchanged("a\nb", "v")]))
    assert texts == [
        f"[text `{directory}/poem.txt`: lines 1-2 of 2]",
        page.text,
        f"[text `{directory}/line\\nfeed.txt`: line 1 of 1]",
        "1\tx",
        "[`a\\nb`: unchanged]",
    ]
    assert shown_of([page]) == [page.text]
    assert shown_of([anyread.TextBlock("see"), page]) == ["see", page.text]


def test_answer_is_an_error_if_all_its_results_are(directory: Path) -> None:
    with pytest.raises(anyread.NotFoundError) as caught:
        anyread.read_sync(directory / "gone.txt")
    error = caught.value
    failed = anyread.Failed(error.path, error)
    page = anyread.read_sync(directory / "poem.txt")
    model = Model.any()
    assert content.answer(error, model) == ([anyread.TextBlock(str(error))], True)
    assert content.answer([failed], model) == ([anyread.TextBlock(str(error))], True)
    assert content.answer(error, model, flags_errors=False) == (
        [anyread.TextBlock(f"error: {error}")],
        True,
    )
    assert content.answer([error, failed], model) == ([anyread.TextBlock(f"error: {error}")] * 2, True)
    assert content.answer([error, page], model).is_error is False
    assert content.answer([], model).is_error is False


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"inputs": frozenset({"text"})}, "this model accepts no images"),
        ({"image_types": ("image/jpeg",)}, "this model does not accept image/png"),
        ({"max_image_bytes": len(PNG) - 1}, f"{len(PNG):,} bytes exceed the limit of {len(PNG) - 1:,}"),
        ({"max_image_base64_bytes": 100}, "bytes in base64 exceed the limit of 100"),
        ({"max_image_pixels": 1_199}, "1,200 pixels exceed the limit of 1,199"),
    ],
)
def test_image_that_the_model_does_not_accept_is_described(changes: dict[str, Any], reason: str) -> None:
    (text,) = shown_of(ImageBlock.from_bytes(PNG), replace(Model.any(), **changes))
    assert text.startswith(f"[image: PNG 40×30, {len(PNG):,} bytes{END}")
    assert text.endswith(f"{reason}]")


def test_image_within_every_limit_is_sent() -> None:
    exact = replace(
        Model.any(),
        max_image_bytes=len(PNG),
        max_image_base64_bytes=-(-len(PNG) // 3) * 4,
        max_image_pixels=1_200,
    )
    assert shown_of(ImageBlock.from_bytes(PNG), exact) == ["image/png"]


def test_image_with_a_wrong_type_or_truncated_data_is_described() -> None:
    wrong = ImageBlock(JPEG, "image/png", 64, 20)
    assert shown_of(wrong) == [f"[image: PNG 64×20, {len(JPEG):,} bytes{END}its content is image/jpeg 64×20]"]
    half = ImageBlock(PNG[:60], "image/png", 40, 30)
    assert shown_of(half) == [f"[image: PNG 40×30, 60 bytes{END}the image is truncated]"]


def test_images_over_the_models_maximum_are_described(directory: Path) -> None:
    view = anyread.read_sync(directory / "chart.png")
    texts = shown_of([view, ImageBlock.from_bytes(PNG), view], replace(Model.any(), max_images=2))
    assert texts.count("image/png") == 2
    assert texts[-1].endswith("this model accepts at most 2 images]")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"inputs": frozenset({"text", "image"})}, "this model accepts no PDFs"),
        ({"max_pdf_bytes": 100}, f"{len(PDF):,} bytes exceed the limit of 100"),
        ({"max_pdf_pages": 2}, "3 pages exceed the limit of 2"),
    ],
)
def test_document_that_the_model_does_not_accept_is_shown_as_text(
    directory: Path, changes: dict[str, Any], reason: str
) -> None:
    model = replace(Model.anthropic(), **changes)
    result = anyread.Reader(model=Model.anthropic()).read_sync(directory / "report_v1.pdf")
    first, *pages = shown_of(result, model)
    assert first == f"[document: 3 pages, {len(PDF):,} bytes; shown as text: {reason}]"
    assert [page[:32] for page in pages] == [
        f"[page {number} of 3]\nline 1 of page {number} t" for number in (1, 2, 3)
    ]
    block = DocumentBlock.from_bytes(PDF, name="a.pdf", page_count=3)
    assert shown_of(block, model) == [f"[document: `a.pdf`, 3 pages, {len(PDF):,} bytes{END}{reason}]"]


def test_page_without_text_is_marked(directory: Path) -> None:
    from helpers.media import pdf, text_page

    (directory / "drawn.pdf").write_bytes(pdf([text_page("hello"), b"10 10 90 90 re f"]))
    result = anyread.Reader(model=Model.anthropic()).read_sync(directory / "drawn.pdf")
    assert shown_of(result)[1:] == ["[page 1 of 2]\nhello", "[page 2 of 2: no text layer]"]


@pytest.mark.parametrize("palettes", [True, False])
def test_openai_gets_no_animated_gif(palettes: bool) -> None:
    animation = animated(palettes=palettes)
    assert content.is_animated(animation)
    assert not content.is_animated(GIF)
    for target in (openai_responses, openai_chat):
        assert "image" in target.content(ImageBlock.from_bytes(GIF))[0]["type"]
        assert target.content(ImageBlock.from_bytes(animation))[0]["text"].endswith(
            f"{END}this model does not accept image/gif]"
        )


def gifs() -> Iterator[bytes]:
    yield GIF
    yield encoded(drawing(30, 20, "L"), "GIF", comment=b"two words")
    yield encoded(drawing(30, 20).quantize(5), "GIF", interlace=1)
    yield animated(palettes=True)
    yield animated(palettes=False)


@pytest.mark.parametrize("number", range(5))
def test_animation_is_detected_as_by_pillow(number: int, tmp_path: Path) -> None:
    data = list(gifs())[number]
    path = tmp_path / "a.gif"
    path.write_bytes(data)
    with Image.open(path) as image:
        assert content.is_animated(data) == (getattr(image, "n_frames", 1) > 1)
    for length in range(len(data)):
        assert content.is_animated(data[:length]) in {True, False}


def test_labels_are_unique() -> None:
    image = ImageBlock.from_bytes(PNG)
    document = DocumentBlock.from_bytes(PDF, name="a\n b.pdf", page_count=3)
    blocks: list[Any] = [image, anyread.TextBlock("x"), document, image, document]
    text, media = content.separated(blocks)
    assert text == "[image-1.png]\nx\n[a b.pdf]\n[image-3.png]\n[4-a b.pdf]"
    assert [label for _, label in media] == ["image-1.png", "a b.pdf", "image-3.png", "4-a b.pdf"]
    assert [block for block, _ in media] == [image, document, image, document]


# The arguments of a tool call are not content of a message.
CALL = {"content": {"type": "image", "source": {"data": "x"}}}
DOCUMENT = {"type": "text", "media_type": "text/plain", "data": "hello"}
CHAT_CALL = {"id": "a", "type": "function", "function": {"name": "read", "arguments": "{}"}}


@pytest.mark.parametrize(
    ("adapter", "message"),
    [
        (anthropic, {"content": [{"type": "tool_use", "id": "a", "name": "b", "input": CALL}]}),
        (anthropic, {"role": "user", "content": "text"}),
        (anthropic, {"role": "user", "content": [{"type": "document", "source": DOCUMENT}]}),
        (anthropic, object()),
        (openai_chat, {"role": "assistant", "content": None, "tool_calls": [CHAT_CALL]}),
        (openai_chat, {"content": [{"type": "input_audio", "input_audio": {"data": "", "format": "mp3"}}]}),
        (gemini, {"role": "model", "parts": [{"functionCall": {"name": "read", "args": {"parts": [{}]}}}]}),
    ],
)
def test_history_keeps_everything_but_media(adapter: Any, message: object) -> None:
    assert adapter.without_media([message]) == [message]


def test_history_keeps_other_objects() -> None:
    kept = object()
    walked = history.replaced(({"content": [kept]}, "text", 1), lambda _: None, frozenset({"content"}))
    assert walked == ({"content": [kept]}, "text", 1)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("data:image/png;base64,AAAA", "[image: image/png, 3 bytes"),
        ("data:application/pdf;base64,JVBERi0=", "[document: application/pdf, 5 bytes"),
        ("data:image/png;base64,A", "[image: image/png"),
        ("data:image/png;base64,é", "[image: image/png"),
        ("https://example.org/a,b.png", "[image: `https://example.org/a,b.png`, image/*"),
    ],
)
def test_url_of_removed_media_is_described(url: str, shown: str) -> None:
    line = history.url_summary(url, "image/*")
    assert line == f"{shown}; removed from this history; read it again to see it]"


@pytest.mark.parametrize("said", ["`gone.txt` does not exist", "Error: file_path must be absolute"])
def test_blocks_of_a_failed_tool_begin_with_error_if_there_is_no_flag(said: str) -> None:
    """The failure of a tool reached OpenAI's models as if it were the content of a file."""
    blocks = [anyread.TextBlock(said)]
    for is_error in (None, False, True):
        output = openai_responses.function_call_output(blocks, call_id="a", is_error=is_error)["output"]
        message = openai_chat.tool_messages(blocks, tool_call_id="a", is_error=is_error).tool
        is_marked = bool(is_error) or said.startswith("Error: ")
        for text in (output[0]["text"], message["content"]):
            assert text.casefold().startswith("error: ") == is_marked
            assert text.casefold().count("error: ") == is_marked
            assert text.endswith(said)
    assert openai_chat.content(blocks)[0]["text"] == said


def test_blocks_are_an_error_if_the_host_says_so() -> None:
    blocks = [anyread.TextBlock("there is no such file")]
    for is_error in (None, False, True):
        tool_result = bedrock.tool_result(blocks, tool_use_id="a", is_error=is_error)["toolResult"]
        flags = (
            anthropic.tool_result(blocks, tool_use_id="a", is_error=is_error).get("is_error", False),
            tool_result.get("status") == "error",
            mcp.call_tool_result(blocks, is_error=is_error)["isError"],
            *(
                "error" in part["functionResponse"]["response"]
                for part in (
                    gemini.function_response(blocks, name="read", is_error=is_error),
                    gemini.function_response_and_media(blocks, name="read", is_error=is_error)[0],
                )
            ),
        )
        assert set(flags) == {bool(is_error)}
    error = anyread.NotFoundError("gone.txt")
    assert mcp.call_tool_result(error)["isError"]
    assert not mcp.call_tool_result(error, is_error=False)["isError"]
