"""The contract of PilotDeck's `read_file`: a workspace, numbered text, media by what the model takes, stubs.

Source: the tool's code of 2026-05-25,
https://github.com/OpenBMB/PilotDeck/blob/19d1c80f1ef7684658a757fedd677e720d972e73/src/tool/builtin/readFile.ts

docs/tools.md lists the deviations from it, with reasons.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from anyread._native import b64encode
from anyread.errors import DirectoryError, NotRegularFileError, OutsideRootError, ReadError
from anyread.model import Model
from anyread.running.effects import Steps, Work
from anyread.tools.files import open_file, target_of
from anyread.tools.profile import Definition, Profile

from . import failures, pictures, text
from .answers import MAX_RESULT_BYTES, NAME, Json, Refusal, image_item, success, text_item
from .arguments import MAX_PAGES, SCHEMA, asked, schema_fault, value_fault
from .blocks import blocks_of
from .documents import Document
from .names import IMAGE_TYPES, extension_of, kind_of
from .notebook import rendered
from .snapshots import Snapshot, refusal, snapshot_hash
from .workspace import Place, Workspace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from anyread.results import Block
    from anyread.session import FileState
    from anyread.tools.files import File
    from anyread.tools.profile import Context, Output, Steps

    from .arguments import Asked
    from .names import Kind

__all__ = ["Pilotdeck", "PilotdeckSettings"]

_UNCHANGED = (
    "File unchanged since the last read. Refer to the earlier read_file result instead of re-reading it."
)
_DESCRIPTION = f"""Read a file of the workspace.

- file_path is relative to the workspace or absolute, and must lie inside it; a file that does not exist \
gives an error, which does no harm
- Without offset and limit the whole file is read, which is best; with them a range of lines, the first \
of which is 1
- Each line comes with its number
- Pictures (PNG, JPEG, GIF, WebP) are shown if the model takes pictures
- A PDF of more than 10 pages needs pages, such as "1-5"; at most {MAX_PAGES} pages a call
- A Jupyter notebook comes as text: its cells and their outputs
- Folders cannot be read
- An existing file without contents gives a reminder in place of them"""


@dataclass(frozen=True, slots=True, kw_only=True)
class PilotdeckSettings:
    """What a host may set of this contract."""

    additional_roots: tuple[str, ...] = ()
    """Folders beside the workspace whose files may be read, absolute or from `cwd`; default: none."""
    bypass_permissions: bool = False
    """Whether files outside of the workspace are read too; default: they are refused."""


class _Call(NamedTuple):
    """One call that was found good, and the file that it opened."""

    asked: Asked
    place: Place
    kind: Kind
    file: File

    @property
    def key(self) -> str:
        """What tells this view from another one."""
        asked = self.asked
        limit = "all" if asked.limit is None else asked.limit
        return f"{self.place.absolute}::{self.kind}::{asked.offset or 1}::{limit}::{asked.pages or ''}"

    @property
    def facts(self) -> Json:
        """Give what every result has."""
        return {"filePath": self.place.relative, "kind": self.kind}


class Pilotdeck(Profile[PilotdeckSettings]):
    """`read_file` of PilotDeck; without a model it takes the model to read text only."""

    name: ClassVar[str] = NAME
    aliases: ClassVar[tuple[str, ...]] = ("Read",)
    kind: ClassVar[str] = "filesystem"
    max_result_bytes: ClassVar[int | None] = MAX_RESULT_BYTES
    Settings: ClassVar[type[PilotdeckSettings]] = PilotdeckSettings

    def __init__(self, context: Context[PilotdeckSettings]) -> None:
        super().__init__(context)
        settings = context.settings
        self._workspace = Workspace(
            context.cwd, settings.additional_roots, is_confined=not settings.bypass_permissions
        )
        self._caps = pictures.Caps(context.model or Model.text_only())

    def definitions(self) -> list[Definition]:
        """Give the one tool of this contract."""
        return [Definition(NAME, _DESCRIPTION, SCHEMA)]

    def validate(self, arguments: Mapping[str, Any], *, name: str) -> Output | None:  # noqa: ARG002 - one tool
        """Check arguments: first their schema, then their values, the path's name among them."""
        fault = schema_fault(arguments)
        if fault is not None:
            return fault
        given = asked(arguments)
        return value_fault(given, self._workspace.absolute(given.file_path))

    def steps(self, arguments: Mapping[str, Any], *, name: str) -> Steps[Output]:  # noqa: ARG002 - one tool
        """Read a file; what goes wrong is an answer too."""
        try:
            return (yield from self._answer(asked(arguments)))
        except Refusal as refused:
            return refused.answer()
        except ReadError as error:
            return failures.execution_failed(error).answer()

    def blocks(self, output: Output) -> list[Block]:
        """Read an output back: its content, and the media of the message that follows it."""
        return blocks_of(output)

    def failed(self, output: Output) -> bool:
        """Look at the type."""
        return bool(output["type"] == "error")

    def freshness(self, state: FileState, path: str) -> str | None:
        """Word the refusal to write: never read as text, or changed since."""
        absolute = self._workspace.absolute(path)
        record = self.context.session.snapshot(absolute)
        return refusal(state, absolute, record)

    # -- one call

    def _answer(self, given: Asked) -> Steps[Json]:
        place = self._workspace.place(given.file_path)
        file = yield from self._opened(place, given.file_path)
        call = _Call(given, place, kind_of(place.absolute), file)
        earlier = self.context.session.view(file.resolved_path, call.key)
        if earlier is not None and earlier.stamp.modified_ns // 1_000_000 == file.modified_ns // 1_000_000:
            content = [text_item(_UNCHANGED)]
            return success(content, {**call.facts, "unchanged": True}, metadata={"unchanged": True})
        if call.kind == "image":
            return (yield from self._image(call))
        if call.kind == "pdf":
            return (yield from self._pdf(call))
        if call.kind == "notebook":
            return (yield from self._notebook(call))
        return (yield from self._text(call))

    def _opened(self, place: Place, path: str) -> Steps[File]:
        try:
            file = yield from open_file(self.context.reader, place.absolute)
        except (DirectoryError, NotRegularFileError) as error:
            target = target_of(self.context.reader, place.absolute)
            real = yield from Work(lambda _: os.path.realpath(place.absolute), target)
            self._workspace.require_inside(place, real, path)
            raise failures.not_regular(place.absolute) from error
        except OutsideRootError as error:
            raise failures.outside(path) from error
        except ReadError as error:
            raise failures.not_opened(
                error, path, place.absolute, stat=not self._workspace.is_confined
            ) from error
        self._workspace.require_inside(place, file.resolved_path, path)
        return file

    def _text(self, call: _Call) -> Steps[Json]:
        place, given = call.place, call.asked
        failures.require_size(call.file.size_bytes, text.MAX_BYTES, place.relative)
        data = yield from call.file.read(text.MAX_BYTES + 1)
        # A file of /proc has no size, and others grow while they are read.
        failures.require_size(len(data), text.MAX_BYTES, place.relative)

        def render() -> tuple[text.Window, str]:
            text.require_readable(data, place.absolute)
            window = text.file_window(data, given.offset or 1, given.limit, place.relative)
            return window, text.shown(window, is_empty=window.total == 0)

        window, shown = yield from call.file.work(render, len(data))
        yield from self._require_budget(call.file, shown, place.relative)
        yield from self._note_text(call, data)
        return self._lines(call, window, shown)

    def _notebook(self, call: _Call) -> Steps[Json]:
        maximum = self.context.reader.limits.max_notebook_bytes
        failures.require_size(call.file.size_bytes, maximum, call.place.relative)
        data = yield from call.file.read(maximum)
        place, given = call.place, call.asked

        def render() -> tuple[int, text.Window, str]:
            window, cell_count = rendered(data, place, given.offset or 1, given.limit)
            return cell_count, window, text.numbered(window)

        cell_count, window, shown = yield from call.file.work(render, len(data))
        yield from self._require_budget(call.file, shown, place.relative)
        yield from self._note_text(call, data)
        return self._lines(call, window, shown, cellCount=cell_count)

    def _require_budget(self, file: File, shown: str, relative: str) -> Steps[None]:
        text.require_short(len(shown), relative)
        if (yield from file.tokens_over(shown, text.TOKENIZER, text.MAX_TOKENS)) is not None:
            raise text.over_budget(relative)

    def _lines(self, call: _Call, window: text.Window, shown: str, **more: Any) -> Json:
        data = {
            **call.facts,
            "startLine": window.start,
            "endLine": window.end,
            "totalLines": window.total,
            "truncated": window.is_truncated,
            **more,
        }
        return success([text_item(shown)], data, metadata={"truncated": window.is_truncated})

    def _image(self, call: _Call) -> Steps[Json]:
        file, relative = call.file, call.place.relative
        media_type = IMAGE_TYPES[extension_of(call.place.absolute)]
        model = self.context.model
        if model is None or "image" not in model.inputs:
            notice = (
                f"[Image file: {relative}, {file.size_bytes} bytes, {media_type}."
                " Current model does not support image input.]"
            )
            return success([text_item(notice)], {**call.facts, "modelSupportsImage": False})
        maximum = self.context.reader.limits.max_image_file_bytes
        failures.require_size(file.size_bytes, maximum, relative)
        data = yield from file.read(maximum)
        is_validated = self.context.validate_media
        sound = yield from pictures.checked(file, data, media_type, self._caps, is_validated=is_validated)
        shown = yield from pictures.within(file, sound, self._caps)
        self._note(call, media_type=shown.media_type, form="visual")
        size = len(shown.data)
        item = image_item(shown.media_type, b64encode(shown.data), size, model.image_detail)
        facts = {"mimeType": shown.media_type, "bytes": size, "originalBytes": len(data)}
        return success([item], {**call.facts, **facts})

    def _pdf(self, call: _Call) -> Steps[Json]:
        reader = self.context.reader
        failures.require_size(call.file.size_bytes, reader.limits.max_pdf_file_bytes, call.place.relative)
        document = Document(
            file=call.file,
            relative=call.place.relative,
            pages=call.asked.pages,
            model=self.context.model,
            caps=self._caps,
            passwords=reader.pdf_passwords,
            is_validated=self.context.validate_media,
        )
        answer = yield from document.answer()
        if answer.is_read:
            self._note(call, form="visual")
        return answer.output

    # -- what is kept

    def _note_text(self, call: _Call, data: bytes) -> Steps[None]:
        yield from call.file.sha256()
        content_hash = yield from snapshot_hash(call.file, data, is_text=call.kind == "text")
        snapshot = Snapshot(
            absolute_path=call.place.absolute,
            modified_ms=call.file.modified_ns // 1_000_000,
            content_hash=content_hash,
            offset=call.asked.offset,
            limit=call.asked.limit,
        )
        self._note(call, write_snapshot=snapshot)

    def _note(self, call: _Call, **about: Any) -> None:
        given = call.asked
        self.context.note(
            call.file,
            kind=call.kind,
            offset=given.offset,
            limit=given.limit,
            pages=given.pages,
            key=call.key,
            **about,
        )
