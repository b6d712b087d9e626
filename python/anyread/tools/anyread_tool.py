"""This library's own contract: any window of any file, and the arguments of the next call.

Source: docs/contracts/anyread.md, which has defined this contract since 2026-11-21.
"""

from __future__ import annotations

import os
import re
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from anyread import _native
from anyread.arguments.gutter import Gutter
from anyread.arguments.limits import Limits
from anyread.arguments.other_names import meant, similar, understood
from anyread.arguments.paths import displayed
from anyread.arguments.places import MOST_PLACES, FilePlace, parsed, split
from anyread.arguments.request import (
    DEFAULTS,
    HIDDEN,
    checked,
    foreign,
    lenient,
    literal,
    schemas,
)
from anyread.arguments.settings import LARGEST, require_choice
from anyread.arguments.types import VALUES
from anyread.errors import BadArgumentError, NotFoundError, OffsetPastEndError, ReadError, WrongKindError
from anyread.errors.base import Argument, counted, escaped_path, one_line
from anyread.formats.budget import Budget, Cost, text_bytes
from anyread.kinds import ALL_FILES
from anyread.reader import named_place
from anyread.results import TextBlock, TextPage, Unchanged
from anyread.results.blocks import DocumentBlock, ImageBlock
from anyread.values import plain

from .parts import answer
from .parts.contract import Context, Contract, Definition, Output, Refusal
from .parts.files import like
from .parts.media import Encoded, prepared
from .parts.schemas import argument as argument_schema
from .parts.schemas import arguments as arguments_schema
from .parts.schemas import items as items_schema

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from anyread.results import Block, Page
    from anyread.results.notices import Notice


NOTICE_PART = 40
"""The notices of a page may have one token for every 40 of the maximum of both together."""
_PLACES = items_schema(
    "string",
    f'Up to {MOST_PLACES} places in one answer, instead of `path`: "a.py:10-20,80-90", "b.py:200" (the'
    ' function around the line), "a.pdf:3-5", "a.docx#Results", "a.xlsx:Orders!B2:F20", "a.jsonl#17/output"',
)
_BESIDES_PLACES = ("max_tokens",)
_PATTERN = re.compile(r"(?![a-z]+://)[^*?\[]*+[*?\[]")
_LONGEST_NAMED = 400
"""The most characters of a pattern in the footer of its listing."""
_OPTIONAL = schemas()
"""The schema of each argument except `path`."""
_KNOWN = frozenset({"path", "places", *_OPTIONAL, *HIDDEN})
_VERSIONS = frozenset({"since_version", "unless_version"})
_RARE = frozenset({"encoding", "region", "values", "max_tokens", "max_bytes"})
"""What few calls need, and notices name where it does."""
_BRIEF = frozenset({"offset", "limit", "pages", "at", "find"})


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyreadSettings:
    """The settings of this library's own tool."""

    gutter: Gutter | None = None
    """The format of line numbers; `None`: the reader's."""
    context: Literal["block", "lines"] | None = None
    """What is shown around a line without a range: its "block", or ten "lines"; `None`: the reader's."""
    shows: Literal["brief", "usual", "all"] = "usual"
    """How many arguments the schema shows; calls may always have all of them."""

    def __post_init__(self) -> None:
        require_choice("settings.context", self.context, (None, "block", "lines"))
        require_choice("settings.shows", self.shows, ("brief", "usual", "all"))


class AnyreadTool(Contract[AnyreadSettings, tuple[str, dict[str, Any]]]):
    """This library's own contract.

    An output has `content`, the blocks of a message as tagged JSON, and the data of the page next to it;
    a failure has `is_error`, the error's `code`, `message` and `hint`, and the same text as `content`.
    """

    name: ClassVar[str] = "read"
    aliases: ClassVar[tuple[str, ...]] = ("Read", "read_file")
    decompresses: ClassVar[bool] = True
    Settings: ClassVar[type[Any]] = AnyreadSettings
    stale_wordings: ClassVar[Mapping[str, str]] = {
        "unread": "`{path}` was never read: read it before writing to it",
        "modified": "`{path}` was modified after it was read: read it again before writing to it",
        "deleted": "`{path}` was deleted after it was read: create it again only if that is intended",
    }

    def __init__(self, context: Context[AnyreadSettings]) -> None:
        super().__init__(context)
        reader = context.reader
        self._reader = like(
            reader,
            model=context.model or reader.model,
            gutter=context.settings.gutter or reader.gutter,
            session=context.session,
            context=context.settings.context or reader.context,
            directories=reader.directories or "list",
        )
        base = os.fsdecode(reader.roots[0]) if reader.roots else reader.directory
        self._is_base = base == context.cwd
        shows = context.settings.shows
        self._is_brief = shows == "brief"
        hidden = frozenset() if shows == "all" else _VERSIONS | _RARE
        self._shown = [name for name in (_BRIEF if self._is_brief else _OPTIONAL) if name not in hidden]

    def definitions(self) -> list[Definition]:
        """Return the only tool."""
        limits = self._reader.limits
        description = f"Read {ALL_FILES} of any size; text has line numbers.\n"
        if not self._is_brief:
            description += f"A page has at most {limits.max_lines:,} lines and {limits.max_tokens:,} tokens. "
        description += (
            "The last line of a page names the arguments for what follows.\n"
            "With `find`, only what matches is shown, also of all files below a directory."
        )
        if not self._is_brief:
            description += "\nTo see several places, in one or several files, pass all of them in `places`."
        optional = {name: _OPTIONAL[name] for name in _OPTIONAL if name in self._shown}
        what = "file or directory" if self._reader.directories == "list" else "file"
        path = argument_schema("string", f"The {what}, absolute or below the working directory")
        # Frameworks that pass arguments by position expect the older ones first.
        places = {} if self._is_brief else {"places": _PLACES}
        return [Definition(self.name, description, arguments_schema(path=path, **optional, **places))]

    def checked(self, arguments: Mapping[str, Any], _name: str) -> tuple[str, dict[str, Any]]:
        """Return the path, and the other arguments as `Reader.read` takes them; numbers may be strings."""
        if isinstance(arguments.get("path"), list):
            arguments = {"paths" if name == "path" else name: value for name, value in arguments.items()}
        arguments, said = understood(arguments, _KNOWN)
        path, places = arguments.get("path"), arguments.get("places")
        for name in arguments:
            if name not in _KNOWN:
                known = ["path", "places", *self._shown]
                # A call can have names that are no strings.
                given = {str(each): value for each, value in arguments.items()}
                said = meant(given, known, is_model=True)
                near = similar(str(name), known)
                hint = said or (f"pass `{near}`" if near else f"the arguments are {', '.join(known)}")
                at = path if isinstance(path, str) else ""
                raise _refusal(f"unknown argument {literal(name)}", hint, at)
        if places and places != [""]:
            return "", self._checked_places(places, arguments)
        if not isinstance(path, str) or not path:
            problem = f"must be a string: `{literal(path)}`" if "path" in arguments else "is missing"
            raise _refusal(f"the argument `path` {problem}", 'pass path="…" with the path of a file')
        given = lenient(arguments)
        if given:
            checked(path, **given)
        return path, {**given, "said": said} if said else given

    def _checked_places(self, places: object, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of a call with places."""
        places = split(places)
        if places is None:
            raise _refusal(
                "the argument `places` must be a list of strings", 'pass a list such as ["a.py:10-20"]'
            )
        if len(places) > MOST_PLACES:
            message = f"a call has at most {MOST_PLACES} places; these are {len(places):,}"
            raise _refusal(message, f"pass the first {MOST_PLACES}, and the others in the next call")
        given = lenient({name: value for name, value in arguments.items() if name != "places"})
        for name in [*given, *(["path"] if arguments.get("path") else [])]:
            if name not in _BESIDES_PLACES:
                hint = f"omit `{name}`; a place contains its lines, as in a.py:10-20"
                raise _refusal(f"`{name}` cannot be passed with `places`", hint)
        if given:
            checked(places[0], **given)
        return {**given, "places": places}

    def _reply_to_places(self, places: list[str], max_tokens: int | None) -> Output:
        below = "" if self._is_base else self.context.cwd
        since = {place: version for place in places if (version := self._version_of_next(place))}
        read = answer.read(
            self._reader, places, below=below, cwd=self.context.cwd, max_tokens=max_tokens, since=since
        )
        content = [_part(block) for block in read.blocks]
        is_truncated = bool(read.rest) or any(page.truncated for page in read.pages)
        rest = {"truncated": is_truncated, "next": {"places": read.rest} if read.rest else None}
        if not read.pages and read.failed:
            hint = answer.hint_of(read.failed[0])
            return {**self.error_answer(read.failed[0].error), "hint": hint, "content": content, **rest}
        results = [
            {"path": page.path, "kind": page.kind, "version": page.version, "truncated": page.truncated}
            for page in read.pages
        ]
        return {"kind": "places", **rest, "results": results, "content": content}

    def _version_of_next(self, place: str) -> str | None:
        """Return the version of the file of which a page goes on at a place as a model writes it."""
        try:
            found = parsed(place)
        except BadArgumentError:
            return None
        return None if found is None else self.context.session.version_of_next(found)

    def reply(self, call: tuple[str, dict[str, Any]]) -> Output:
        """Read with the reader, whose session records the read."""
        given_path, given = call
        if "places" in given:
            return self._reply_to_places(given["places"], given.get("max_tokens"))
        path = self._reader_path(given_path)
        said = given.pop("said", "")
        # Models do not repeat it.
        since = self.context.session.version_of_next(FilePlace.of_next(path, given)) if given else None
        if since is not None:
            given = {"since_version": since, **given}
        others = self._other_spellings(path, given_path)
        while True:
            try:
                page = self._reader.page_beside(path, partial(self._left, given), **given)
            except WrongKindError as error:
                # With a strict schema, models fill in every argument, also with the default of a workbook.
                if error.argument != "values" or given.pop("values") != VALUES[0]:
                    raise
            except NotFoundError:
                if (other := next(others, None)) is not None:
                    path = other
                elif set(given) <= set(_BESIDES_PLACES) and named_place(path, DEFAULTS) is not None:
                    return self._reply_to_places([path], given.get("max_tokens"))
                elif self._reader.directories == "list" and (pattern := _PATTERN.match(path)):
                    return self._matching(path, pattern.end() - 1, given)
                else:
                    raise
            else:
                if isinstance(page, Unchanged):
                    return _unchanged(page)
                notices = [each for each in page.notices if not answer.is_in_footer(each, page)]
                text = _notice_text(notices, self._limits(given))
                return _output(page, "\n".join(filter(None, [said and f"[notice: {said}]", text])))

    def _other_spellings(self, path: str, given_path: str) -> Iterator[str]:
        """Yield what else a path may mean that no file has."""
        # The reader also removes quotes, but resolves the path below its own root.
        if path != given_path and _is_quoted(given_path):
            yield self._reader_path(given_path[1:-1])
        # Models know the paths of Windows.
        if os.sep == "/" and "\\" in path:
            yield path.replace("\\", "/")

    def _matching(self, path: str, wildcard: int, given: Mapping[str, Any]) -> Output:
        """List the files whose paths match a pattern, as `Reader.files` finds them."""
        argument = foreign(checked(path, **given), "directory")
        if argument is not None:
            raise WrongKindError(path, argument=argument, kind="directory")
        above, slash, _ = path[:wildcard].replace(os.sep, "/").rpartition("/")
        directory = above or slash or "."
        if "find" in given:
            hint = f"pass path={literal(directory)}, below which all files are searched"
            raise _refusal("a pattern of paths cannot be passed with `find`", hint, path)
        found = self._reader.files(directory, f"/{path[len(above + slash) :]}")
        if not found:
            raise NotFoundError(path, near=(directory,))
        limits = self._limits(given)
        first, most = given.get("offset", 1), min(limits.max_lines, given.get("limit", LARGEST))
        first = first if first > 0 else max(1, len(found) + 1 + first)
        if first > len(found):
            raise OffsetPastEndError(path, offset=first, total_lines=len(found), unit="files")
        shown = [escaped_path(displayed(each.removeprefix("./"))) for each in found[first - 1 :][:most]]
        budget = Budget.of(limits, self._reader.model.token_factor)
        name = one_line(displayed(path), _LONGEST_NAMED)
        own = budget.footer.plus(budget.cost(name))
        while len(shown) > 1 and not budget.cost("\n".join(shown)).plus(own).is_within(budget.most):
            del shown[len(shown) * 3 // 4 :]
        following = {"offset": first + len(shown)} if first + len(shown) <= len(found) else None
        footer = f"{counted(len(found), 'files')} of `{name}`"
        if len(shown) < len(found):
            rest = f" · next: offset={following['offset']}" if following else ""
            footer = f"{first:,}-{first + len(shown) - 1:,} of {footer}{rest}"
        text = "\n".join([*shown, f"[{footer}]"])
        facts = {
            "kind": "files",
            "path": displayed(path),
            "truncated": following is not None,
            "next": following,
        }
        return {**facts, "content": [{"type": "text", "text": text}]}

    def _limits(self, given: Mapping[str, Any]) -> Limits:
        if "max_tokens" not in given and "max_bytes" not in given:
            return self._reader.limits
        return self._reader.limits.lowered(
            max_tokens=given.get("max_tokens"), max_bytes=given.get("max_bytes")
        )

    def _left(self, given: Mapping[str, Any], page: Page) -> Cost | None:
        """Return what notices leave to a page that does not fit beside them; `None` for one that fits."""
        limits = self._limits(given)
        text = _notice_text(page.notices, limits)
        if not text:
            return None
        budget = Budget.of(limits, self._reader.model.token_factor)
        notices = budget.cost(f"\n{text}")
        if Cost(text_bytes(page.text), page.token_estimate).plus(notices).is_within(budget.most):
            return None
        return budget.most.minus(notices).at_least(1)

    def error_answer(self, error: ReadError) -> Output:
        """Return the error with its hint, in which arguments are spelled as in JSON."""
        return _failure(error.code, error.path, error.message, error.hint_as(_in_json), plain(error.data))

    def blocks(self, output: Output) -> list[Block]:
        """Convert `content` to blocks."""
        if not isinstance(output, dict):
            return [TextBlock(output)]
        return [_block(part) for part in output["content"]]

    def _reader_path(self, path: str) -> str:
        """Return the path for the reader: below `cwd`, unless it is absolute or needs a correction first."""
        if self._is_base or path.startswith(("/", "~", "file:")) or os.path.isabs(path):  # noqa: PTH117 - text
            return path
        named = path.removeprefix("./")
        # The system resolves `..`.
        return self.context.cwd if named in {"", "."} else os.path.join(self.context.cwd, named)  # noqa: PTH118


def _is_quoted(path: str) -> bool:
    return len(path) > 2 and path[0] == path[-1] and path[0] in "'\"`"


def _output(page: Page, notice_text: str) -> Output:
    following = page.next
    output: dict[str, Any] = {
        "kind": page.kind,
        "path": page.path,
        "resolved_path": page.resolved_path,
        "media_type": page.media_type,
        "size_bytes": page.size_bytes,
        "modified_ns": page.modified_ns,
        "version": page.version,
        "truncated": page.truncated,
        "next": None if following is None else plain(following.arguments),
        "notices": [],
    }
    for name in page.facts_of_kind:
        output[name] = getattr(page, name)
    output["content"] = content = _content(page)
    if page.notices:
        output["notices"] = [
            {"code": each.code, "message": each.message, "data": plain(each.data)} for each in page.notices
        ]
    if notice_text:
        content.append({"type": "text", "text": notice_text})
    return output


def _content(page: Page) -> list[dict[str, Any]]:
    """Return the blocks of a page as tagged JSON."""
    if isinstance(page, TextPage) and (text := page.text) and not text.isspace():
        return [{"type": "text", "text": text}]
    return [_part(block) for block in page.blocks]


def _notice_text(notices: Sequence[Notice], limits: Limits) -> str:
    """Return notices as text, because the model sees only `content`: as many as are short beside a page."""
    lines = [f"[notice: {notice.message}]" for notice in notices]
    most = limits.max_tokens // NOTICE_PART
    while lines and _native.count_tokens("\n".join(lines), None) > most:
        lines.pop()
    return "\n".join(lines)


def _part(block: Block) -> dict[str, Any]:
    if isinstance(block, TextBlock):
        return {"type": "text", "text": block.text}
    if isinstance(block, ImageBlock):
        size = {"width": block.width, "height": block.height}
        return {"type": "image", "media_type": block.media_type, **size, "data": prepared(block)}
    facts = {"name": block.name, "page_count": block.page_count}
    return {"type": "document", "media_type": block.media_type, **facts, "data": prepared(block)}


def _block(part: Mapping[str, Any]) -> Block:
    if part["type"] == "text":
        return TextBlock(part["text"])
    if isinstance(part["data"], Encoded):
        return part["data"].block
    data = b64decode(part["data"])
    if part["type"] == "image":
        return ImageBlock.from_bytes(data, media_type=part["media_type"])
    return DocumentBlock.from_bytes(data, name=part["name"], page_count=part["page_count"])


def _unchanged(result: Unchanged) -> Output:
    text = f"[unchanged since version {result.version}: the content from the earlier read is still valid]"
    content = [{"type": "text", "text": text}]
    return {"kind": "unchanged", "path": result.path, "version": result.version, "content": content}


def _in_json(argument: Argument) -> str:
    """Write an argument of a hint as a model passes it in JSON, where a region is a list."""
    if isinstance(argument.value, tuple):
        return f"{argument.name}={list(argument.value)}"
    return str(argument)


def _refusal(message: str, hint: str, path: str = "") -> Refusal:
    return Refusal(_failure(BadArgumentError.code, path, message, hint, {}))


def _failure(code: str, path: str, message: str, hint: str, data: dict[str, Any]) -> Output:
    return {
        "is_error": True,
        "code": code,
        "path": path,
        "message": message,
        "hint": hint,
        "data": data,
        "content": [{"type": "text", "text": f"{message}\nhint: {hint}"}],
    }
