"""What every agent framework must show of a call: one set of tests, which each framework's test file runs.

A test file derives a class from `FrameworkTests`, says in `answers` how a model of this framework makes calls
and what it receives, and replaces what is different there. What only one framework has is tested below it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

import pytest

import anyread
from anyread.tools import CONTRACTS
from cancelling import cancel_during_read
from cells import RecordCell, Shown
from samples import CODE, ENDLESS_OFFSET, LINES, PDF_WORDS, Samples

Call: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True)
class Answer:
    """What a model received for a call."""

    text: str
    images: tuple[Any, ...] = ()
    """The media type and the bytes of each image, or what `FrameworkTests.image` returns instead."""
    documents: tuple[bytes, ...] = ()
    is_error: bool | None = False
    """Whether it is marked as an error; `None`: the framework marks none."""


@dataclass(frozen=True)
class Run:
    """The run of an agent."""

    mode: str
    """One of the `MODES` of the test file, by default only "async"."""
    read: anyread.Tool | None
    """The tool; `None`: the integration makes it."""
    calls: Sequence[Call]
    """The arguments of each call."""
    model: anyread.Model | None = None
    """As in the function of the integration that makes the framework's tool."""
    name: str | None = None
    """As in that function, for the second tool of a contract."""


class FrameworkTests:
    """The tests of one framework."""

    model: ClassVar[anyread.Model | None] = None
    """The model of the tool in most tests; `None`: that of a tool without arguments."""
    pdf: ClassVar[Shown] = "native"
    """Whether a PDF is shown as a document, or as the text and images of its pages."""
    gif: ClassVar[str] = "image/gif"
    """The media type in which a GIF is shown; another one than its own if the provider accepts no GIF."""
    refused: ClassVar[Sequence[tuple[Call, str]]] = (
        ({"path": ["poem.txt"]}, "must be a string"),
        ({"path": "poem.txt", "limit": "many"}, "`limit`"),
        ({"path": "poem.txt", "self": 1, "arguments": 2, "config": 3}, "unknown argument"),
        ({}, "is missing"),
    )
    """Calls that are refused, each with a part of the answer."""

    async def answers(self, run: Run) -> list[Answer]:
        """Run an agent whose model makes the calls in one turn, and return what the model received."""
        raise NotImplementedError

    async def asked(self, mode: str, read: anyread.Tool | None, *calls: Call, **more: Any) -> list[Answer]:
        """Return the answers to calls; `more` are the other fields of `Run`."""
        return await self.answers(Run(mode, read, calls, **more))

    def reading(self) -> anyread.Tool | None:
        """Return the tool of most tests."""
        return None if self.model is None else anyread.tool("anyread", model=self.model)

    def image(self, path: Path) -> Any:
        """Return what `Answer.images` has of an image that is shown unchanged."""
        kind = {".jpg": "jpeg"}.get(path.suffix, path.suffix[1:])
        return f"image/{kind}", path.read_bytes()

    async def test_text_is_shown_with_line_numbers(self, mode: str, files: Samples, cell: RecordCell) -> None:
        calls = {"path": str(files.text)}, {"path": str(files.text), "limit": 2}
        whole, window = await self.asked(mode, self.reading(), *calls)
        numbered = [f"{number}\t{line}" for number, line in enumerate(LINES, 1)]
        assert whole.text == "\n".join(numbered)
        assert not whole.is_error
        assert whole.images == whole.documents == ()
        assert window.text.startswith("\n".join(numbered[:2]))
        assert "next: offset=3" in window.text
        cell("text", "native")

    async def test_images_are_shown(self, mode: str, files: Samples, cell: RecordCell) -> None:
        calls = [{"path": str(path)} for path in files.media.values()]
        png, jpeg, gif = await self.asked(mode, self.reading(), *calls)
        assert png.images == (self.image(files.png),)
        assert jpeg.images == (self.image(files.jpeg),)
        if self.gif == "image/gif":
            assert gif.images == (self.image(files.gif),)
        else:
            ((media_type, data),) = gif.images
            assert (media_type, data[:4]) == (self.gif, b"\x89PNG")
        for kind in ("PNG", "JPEG", "GIF"):
            cell(kind, "native")

    async def test_places_need_no_path(self, mode: str, files: Samples) -> None:
        [answer] = await self.asked(mode, self.reading(), files.places)
        assert f"2\t{LINES[1]}\n" in answer.text
        assert answer.images == (self.image(files.png),)
        assert not answer.is_error

    async def test_pdf_is_a_document_or_its_pages(self, mode: str, files: Samples, cell: RecordCell) -> None:
        [answer] = await self.asked(mode, self.reading(), {"path": str(files.pdf)})
        if self.pdf == "native":
            assert answer.documents == (files.pdf.read_bytes(),)
        else:
            assert PDF_WORDS in answer.text
            assert len(answer.images) == 3
        cell("PDF", self.pdf)

    async def test_notebook_is_text_and_images(self, mode: str, files: Samples, cell: RecordCell) -> None:
        [answer] = await self.asked(mode, self.reading(), {"path": str(files.notebook)})
        assert CODE in answer.text
        assert answer.images == (self.image(files.png),)
        cell("notebook", "native")

    async def test_errors_keep_the_run_alive(
        self, mode: str, files: Samples, cell: RecordCell, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(files.directory)
        calls = [call for call, _ in self.refused]
        missing, *others = await self.asked(mode, self.reading(), {"path": str(files.missing)}, *calls)
        assert f"`{files.missing}` does not exist\nhint: " in missing.text
        assert files.text.name in missing.text
        for answer, (call, words) in zip(others, self.refused, strict=True):
            assert words in answer.text, call
            assert answer.text, call
        marks = {answer.is_error for answer in (missing, *others)}
        assert marks in ({True}, {None})
        cell("error", "native" if marks == {True} else "text")

    async def test_model_without_images_gets_text(self, mode: str, files: Samples) -> None:
        text_only = anyread.Model.text_only()
        calls = [{"path": str(path)} for path in (files.png, files.pdf, files.notebook)]
        answers = await self.asked(mode, None, *calls, model=text_only)
        for answer in answers:
            assert answer.images == answer.documents == ()
            assert answer.text
            assert not answer.is_error
        assert PDF_WORDS in answers[1].text

    async def test_calls_of_a_turn_are_answered_in_order(self, mode: str, files: Samples) -> None:
        calls = [{"path": str(files.text), "offset": number % 3 + 1, "limit": 1} for number in range(100)]
        for number, answer in enumerate(await self.asked(mode, self.reading(), *calls)):
            assert answer.text.startswith(f"{number % 3 + 1}\t{LINES[number % 3]}")

    async def test_cancelled_run_ends_the_read(self, files: Samples) -> None:
        call = {"path": str(files.endless), "offset": ENDLESS_OFFSET}
        await cancel_during_read(self.asked("async", self.reading(), call), files.endless)

    @pytest.mark.parametrize("contract", CONTRACTS)
    async def test_every_contract_shows_text_and_errors(
        self, contract: str, mode: str, files: Samples
    ) -> None:
        read = anyread.tool(contract, cwd=files.directory)
        calls = read.arguments_for(files.text), read.arguments_for(files.missing)
        shown, failed = await self.asked(mode, read, *calls)
        assert LINES[0] in shown.text
        assert not shown.is_error
        assert failed.is_error in (True, None)
        assert failed.text

    async def test_second_tool_of_a_contract_is_chosen_by_its_name(self, mode: str, files: Samples) -> None:
        read = anyread.tool("forge", cwd=files.directory)
        [answer] = await self.asked(mode, read, {"path": str(files.png)}, name="read_image")
        assert answer.images == (self.image(files.png),)
        with pytest.raises(ValueError, match="unknown tool name 'write'; the names are 'read', 'read_image'"):
            await self.asked(mode, read, {"path": str(files.png)}, name="write")


def left_out(reason: str) -> Any:
    """Return a test that takes the place of one which a framework cannot pass."""

    def test(self: object) -> None:
        pytest.skip(reason)

    return test
