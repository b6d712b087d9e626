"""Follow `next` as a program or a model does, and judge each answer and all of them together.

Only the public API is used. `Fault` says what is wrong, in one word and in a sentence.
"""

from __future__ import annotations

import ast
import io
import re
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from PIL import Image

import anyread
from anyread import Reader, Session
from anyread._native import count_tokens
from anyread.results import ImageBlock, TextBlock
from anyread.results.blocks import DocumentBlock
from continuation import documents, maker
from continuation.maker import BAND, COLORS, Case, File
from continuation.texts import lines_of
from helpers import oracle

MOST_ANSWERS = 60
"""A longer chain is judged by its beginning."""
LEAST_BYTES = 640
LEAST_TOKENS = 192
"""Smaller budgets have no footers and marks."""
MOST_BLOCK = 200
"""The most lines of a block that are shown."""
LEAST_PART = 500
"""The most bytes of text that an answer over its budget may have, because it cannot show less."""
OWN = {"max_tokens", "max_bytes", "since_version", "limit", "encoding", "kind"}
"""Arguments of `next` that no footer repeats."""
UNITS = {
    "notebook": re.compile(r"^\[cell ([\d,]+) (?!of |not shown)"),
    "pdf": re.compile(r'^\[page ([\d,]+)(?: "\w+")? of [\d,]+'),
    "slides": re.compile(rf"^\[slide ([\d,]+) of [\d,]+ · layout {documents.LAYOUT}\b"),
    "tiff": re.compile(r"page ([\d,]+) of"),
    "image": re.compile(r"(?!)"),
    "tall": re.compile(r"(?!)"),
}
"""What precedes a part."""
NUMBERED = {"text", "sheet", "records", "document"}
"""What has a row for each part, which begins with its number."""
ROW = re.compile(r"^(?:\s*(\d+)|/(\d+))\t(.*)$")
MARK = re.compile(r" … \[(?:[\d,]+ )?more(?: bytes?)?: offset=\d+, column=\d+\]$|… \(\+[\d,]+ chars\)$")
NOTHING = re.compile(r"^\[(?:rows? [\d,-]+ ha(?:s|ve) )?no cells\b")
"""What a page says that begins where a sheet has no cells."""
STRIP = re.compile(r" · region=\(0, (\d+), \d+, (\d+)\)")
GONE_ON = re.compile(r"^\t*(?:[A-Z]{1,3}: )?")
HEADING = re.compile(r"^==> (.*?)(?: · (.*))? <==$")
# What a page says about itself; all other lines are the file's.
OURS = re.compile(r"^\[(?!output|image|notes)")
PICTURE = re.compile(r"^\[image.*\]$")


class Fault(Exception):  # noqa: N818 - a finding
    """What is wrong: a word by which faults are compared, and a sentence."""

    def __init__(self, word: str, about: str) -> None:
        super().__init__(f"{word}: {about}")
        self.word = word


@dataclass
class Shown:
    """What the answers so far have shown of one file."""

    texts: list[tuple[int, str]] = field(default_factory=list)
    pictures: list[tuple[int, int]] = field(default_factory=list)
    refused: list[tuple[int, str]] = field(default_factory=list)
    documents: int = 0
    strips: list[tuple[int, int, bytes]] = field(default_factory=list)
    """Of a tall image: the first row of each picture, its number of rows (0 for all), and its bytes."""

    def size(self) -> tuple[int, ...]:
        return len(self.texts), len(self.pictures), len(self.refused), self.documents


class Answer:
    """What a model gets from one call."""

    def __init__(
        self,
        blocks: Sequence[Any],
        following: Mapping[str, Any] | None,
        *,
        clipped: Any = (),
        results: Any = (),
    ) -> None:
        self.paths = {result["path"] for result in results}
        self.blocks = list(blocks)
        self.next = dict(following) if following else None
        self.clipped = [dict(each) for each in clipped]
        self.texts = [block.text for block in self.blocks if isinstance(block, TextBlock)]

    def footer_next(self) -> dict[str, Any] | str | None:
        """Return the arguments that the last line names; a text if they are abbreviated."""
        found = None
        for row in "\n".join(self.texts).split("\n"):
            found = re.search(r"^\[.*\bnext: (.*?)(?: · [^=]*)?\]$", row) or found
        if found is None:
            return None
        try:
            (call,) = (node for node in ast.walk(ast.parse(f"f({found[1]})")) if isinstance(node, ast.Call))
            return {str(each.arg): ast.literal_eval(each.value) for each in call.keywords}
        except (SyntaxError, ValueError):
            return found[1]


class Host:
    """Makes the calls of a case, waiting for them or not."""

    def __init__(self, case: Case, directory: Path, *, on_loop: bool) -> None:
        self.session = Session()
        self.on_loop = on_loop
        model = case.reader_model()
        self.reader = Reader(
            roots=[directory], limits=case.limits(), model=model, session=self.session, context=case.context
        )
        self.tool = anyread.tool(cwd=directory, reader=self.reader, model=model)
        self.case = case

    async def read(self, path: str, arguments: Mapping[str, Any]) -> Answer:
        if self.on_loop:
            page = await self.reader.read(path, **arguments)
        else:
            page = self.reader.read_sync(path, **arguments)
        return self.answer(page)

    def answer(self, page: Any) -> Answer:
        return Answer(page.blocks, page.next, clipped=getattr(page, "clipped", ()))

    async def read_many(self, places: list[str], budget: Mapping[str, Any]) -> list[Any]:
        if self.on_loop:
            return [each async for each in self.reader.read_many(places, **budget)]
        return list(self.reader.read_many_sync(places, **budget))

    async def call(self, arguments: Mapping[str, Any]) -> tuple[Answer, dict[str, Any]]:
        output = (
            await self.tool.call(dict(arguments)) if self.on_loop else self.tool.call_sync(dict(arguments))
        )
        blocks, results = self.tool.blocks(output), output.get("results", ())
        return Answer(blocks, output.get("next"), results=results), output


class Walk:
    """One case, from its first call to the end of what `next` names."""

    def __init__(self, case: Case, directory: Path, parts: Parts, *, on_loop: bool = False) -> None:
        self.case, self.directory, self.parts = case, directory, parts
        self.host = Host(case, directory, on_loop=on_loop)
        self.shown = [Shown() for _ in case.files]
        self.named: dict[str, int] = {}
        for number, file in enumerate(case.files):
            for name in (file.name, str(directory / file.name)):
                self.named[name] = number
        self.calls: list[str] = []
        self.seen: set[str] = set()
        self.errors: list[str] = []
        self.outside = 0
        self.clips: list[tuple[int, dict[str, Any]]] = []
        self.is_cut_off = False
        self.has_budget = True
        self.max_bytes = case.max_bytes
        self.entered: set[int | None] = set()
        self.compared = 0

    # ------------------------------------------------------------------------------------- calls

    async def run(self) -> None:
        """Follow the case to its end; raises `Fault`."""
        case = self.case
        try:
            if case.way == "places":
                places = [maker.written(case, ask, self.directory) for ask in case.asks]
                await self.follow_tool({"places": list(dict.fromkeys(places))}, None)
            elif case.way == "many":
                await self.many()
            elif case.way == "path":
                await self.follow_tool({"path": case.files[0].name, **self.arguments()}, 0)
            else:
                await self.follow(0, self.arguments(), can_hand_over=case.hands_over)
                for _, clip in self.clips if case.files[0].kind == "text" else ():
                    await self.finish_line(clip)
            if not self.is_cut_off:
                self.judge_all()
        finally:
            self.host.reader.close()

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of the first call of a read."""
        case, ask, file = self.case, self.case.asks[0], self.case.files[0]
        found: dict[str, Any] = {}
        if case.way == "pages":
            found["pages"] = maker.span_text(ask.spans[0]) if ask.spans else ""
        elif case.way == "around":
            found["around"] = case.offset
        elif ask.spans:
            found["ranges"] = list(ask.spans)
        elif case.offset != 1 and total(self, 0):
            found["offset"] = case.offset
        if ask.column > 1:
            found["column"] = ask.column
        found |= maker.call_of(file)
        if case.limit and not ask.spans:
            found["limit"] = case.limit
        if file.encoding == "cp1252":
            found["encoding"] = "cp1252"
        return found | (self.budget() if case.in_call else {})

    def budget(self) -> dict[str, int]:
        """Return the budget as arguments of a call."""
        return {"max_tokens": self.case.max_tokens, "max_bytes": self.case.max_bytes}

    async def follow(self, number: int, arguments: dict[str, Any], *, can_hand_over: bool = False) -> None:
        """Follow the reads of one file."""
        file = self.case.files[number]
        while True:
            self.note(f"read({file.name!r}, {plain(arguments)})")
            try:
                answer = await self.host.read(file.name, arguments)
            except anyread.ReadError as error:
                self.refused(number, error.code, str(error))
                return
            self.take(answer, number)
            self.clips += [(number, clip) for clip in answer.clipped]
            if answer.next is None or self.is_long():
                return
            arguments = answer.next
            is_place = file.kind != "records" or file.at
            if can_hand_over and is_place and file.encoding != "cp1252" and "region" not in arguments:
                place = f"{file.name}{maker.address_of(file)}:{as_place(arguments)}"
                # The tool has no argument for bytes.
                self.max_bytes = self.host.reader.limits.max_bytes
                await self.follow_tool({"places": [place]}, None)
                return

    async def finish_line(self, clip: dict[str, Any] | None) -> None:
        """Read the rest of a clipped line, which belongs to the file's other texts."""
        file, at = self.case.files[0], (clip or {}).get("offset", 0)
        while clip and clip.get("offset") == at and clip.get("column", 1) > 1:
            self.note(f"read({file.name!r}, {plain(clip)})  # clipped")
            answer = await self.host.read(file.name, clip)
            rows = parsed("text", answer.blocks).texts
            place = max((index for index, (n, _) in enumerate(self.shown[0].texts) if n == at), default=-1)
            if place < 0:
                raise Fault("clipped", f"line {at} is named, and was not shown")
            if [n for n, _ in rows] != [at]:
                raise Fault("clipped", f"the rest of line {at} has the lines {[n for n, _ in rows]}")
            self.shown[0].texts[place] = (at, self.shown[0].texts[place][1] + rows[0][1])
            clip = answer.next
            if self.is_long():
                return

    async def many(self) -> None:
        """Read several files in one call, then follow each."""
        case = self.case
        # A path that is named twice, without lines, has two results.
        asks = {replace(ask, is_absolute=False): ask for ask in case.asks}
        places = [maker.written(case, ask, self.directory) for ask in asks.values()]
        budget = {"budget_tokens": case.max_tokens, "budget_bytes": case.max_bytes}
        self.note(f"read_many({places}, {budget})")
        results = await self.host.read_many(places, budget)
        texts, pictures, following = [], 0, []
        for result in results:
            number = self.named.get(result.path, -1)
            if isinstance(result, anyread.Failed):
                self.errors.append(result.path)
                continue
            if isinstance(result, anyread.NotShown):
                texts.append(result.text)
                following.append((number, dict(result.next)))
                continue
            answer = self.host.answer(result)
            self.take(answer, number, is_judged=False)
            texts += answer.texts
            pictures += self.picture_tokens(answer.blocks, [number])
            if answer.next:
                following.append((number, answer.next))
            self.clips += [(number, clip) for clip in answer.clipped]
        self.judge_session()
        tokens = min(sum(map(self.count, texts)), self.count("\n".join(texts))) + pictures
        self.judge_cost(tokens, sum(len(text.encode()) for text in texts), is_least=False)
        # The budget was that of the first call.
        self.has_budget = False
        for number, arguments in following:
            await self.follow(number, arguments)

    async def follow_tool(self, arguments: dict[str, Any], number: int | None) -> None:
        """Follow calls of the tool: of places, or of one path."""
        own = {"max_tokens": self.case.max_tokens} if self.case.in_call else {}
        path = {"path": arguments["path"]} if number is not None else {}
        arguments = {**own, **arguments}
        while True:
            self.note(f"tool.call_sync({arguments})")
            try:
                answer, output = await self.host.call(arguments)
            except Exception as error:
                raise Fault("exception", f"{type(error).__name__}: {error}") from error
            if output.get("is_error") and number is not None:
                self.refused(number, output["code"], output["message"])
                return
            self.take(answer, number)
            if number is not None and "clipped" in str(output.get("notices")):
                self.clips = [(0, clip) for clip in output.get("clipped", ())]
            if answer.next is None or self.is_long():
                return
            arguments = {**own, **path, **answer.next}

    def numbers_of(self, number: int) -> list[int]:
        """Return the parts of a file that were asked for."""
        return maker.numbers_of(self.case, number, lambda line: self.parts.around(number, line))

    def is_long(self) -> bool:
        self.is_cut_off = self.is_cut_off or len(self.calls) >= MOST_ANSWERS
        return self.is_cut_off

    def note(self, call: str) -> None:
        """Remember a call; the same one again would never end."""
        self.calls.append(call)
        if call in self.seen:
            raise Fault("repeats", "`next` is a call that was made before")
        self.seen.add(call)

    def refused(self, number: int, code: str, message: str) -> None:
        """Judge an error of a read of one file."""
        if self.case.files[number].kind in maker.ERRORS:
            self.errors.append(self.case.files[number].name)
            return
        expects_nothing = not self.numbers_of(number)
        # A file that was named without being read, because the answer was full, may have no such lines.
        is_first = len(self.calls) == 1 or (self.case.way == "many" and number not in self.entered)
        if not is_first or not expects_nothing:
            raise Fault(f"error {code}", message)

    # ------------------------------------------------------------------------------------- one answer

    def take(self, answer: Answer, number: int | None, *, is_judged: bool = True) -> None:
        """Add what an answer shows, and judge it."""
        before = [shown.size() for shown in self.shown], len(self.errors), self.outside
        entries = [(number, answer.blocks)] if number is not None else self.sections(answer)
        for entry, blocks in entries:
            if entry is None:
                continue
            found, own = parsed(self.case.files[entry].kind, blocks), self.shown[entry]
            own.texts += found.texts
            own.pictures += found.pictures
            own.refused += found.refused
            own.documents += found.documents
            own.strips += found.strips
        self.compared += 1
        if not is_judged:
            return
        after = [shown.size() for shown in self.shown], len(self.errors), self.outside
        numbers = [number] if number is not None else range(len(self.case.files))
        is_empty = not any(self.numbers_of(n) for n in numbers)
        new = {entry for entry, _ in entries} - self.entered
        self.entered |= new
        # An empty file is shown by its heading.
        if after == before and not is_empty and (number is not None or not new):
            raise Fault("nothing new", repr("\n".join(answer.texts))[:200])
        self.judge_session()
        text = "\n".join(answer.texts)
        tokens = min(sum(map(self.count, answer.texts)), self.count(text))
        tokens += self.picture_tokens(answer.blocks, [entry for entry, _ in entries if entry is not None])
        units = {(n, part) for n, own in enumerate(self.shown) for part, _ in own.texts[before[0][n][0] :]}
        has_pictures = any(not isinstance(block, TextBlock) for block in answer.blocks)
        most = LEAST_PART + len(str(self.directory))
        is_least = len(entries) <= 1 and len(units) <= 1 and len(text.encode()) <= most
        # What is written about an image is never shortened, but an image that costs too much is left out.
        is_least = is_least and (not has_pictures or tokens <= self.most_tokens())
        self.judge_cost(tokens, sum(len(each.encode()) for each in answer.texts), is_least=is_least)
        if self.has_budget:
            self.judge_footer(answer)

    def sections(self, answer: Answer) -> list[tuple[int | None, list[Any]]]:
        """Split the answer to places at its headings, and note the errors in it."""
        sections: list[tuple[int | None, list[Any]]] = []
        for block in answer.blocks:
            if not isinstance(block, TextBlock):
                sections[-1][1].append(block)
                continue
            rows: list[str] = []
            for row in block.text.split("\n"):
                if found := HEADING.match(row):
                    self.end(sections, rows)
                    # The results have the path of the call, and the heading perhaps a relative one.
                    number = self.named.get(found[1])
                    if number is None or number not in map(self.named.get, answer.paths):
                        self.errors.append(found[1])
                        number = None
                    sections.append((number, []))
                    # A heading may say all that there is to say about an image.
                    rows = [f"[{found[2]}]"] if number is not None and found[2] else []
                elif row.startswith("[outside "):
                    self.outside += 1
                elif row.startswith("[the answer is full"):
                    self.end(sections, rows)
                    rows = []
                else:
                    rows.append(row)
            self.end(sections, rows)
        return sections

    @staticmethod
    def end(sections: list[tuple[int | None, list[Any]]], rows: list[str]) -> None:
        if sections and rows:
            sections[-1][1].append(TextBlock("\n".join(rows)))

    def count(self, text: str) -> int:
        counter = maker.tokenizer(self.case)
        return counter(text) if callable(counter) else count_tokens(text, counter)

    def picture_tokens(self, blocks: Sequence[Any], numbers: Sequence[int]) -> int:
        """Count the tokens of images; a document has at least those of its texts."""
        model, tokens = self.case.reader_model(), 0
        for block in blocks:
            if isinstance(block, ImageBlock):
                tokens += model.tokens_of_image(block.width, block.height)
            elif isinstance(block, DocumentBlock):
                sent = [n for n in numbers if self.case.files[n].kind == "pdf"]
                tokens += sum(self.count(part.text) for n in sent for part in self.parts.of(n).values())
        return tokens

    def most_tokens(self) -> int:
        """Return the budget in tokens as they are counted."""
        factor = 1.0 if self.case.tokenizer else self.case.factor
        return max(1, int(self.case.max_tokens / factor))

    def judge_cost(self, tokens: int, size: int, *, is_least: bool) -> None:
        """An answer fits its budget, unless nothing less can be shown."""
        most = self.most_tokens()
        if is_least or not self.has_budget or (tokens <= most and size <= self.max_bytes):
            return
        used = f"{tokens} of {most} tokens, {size} of {self.max_bytes} bytes"
        raise Fault("over budget", used)

    def judge_session(self) -> None:
        """A file counts as read if, and only if, something of it was shown."""
        for number, file in enumerate(self.case.files):
            if file.kind in maker.ERRORS or file.kind == "directory":
                continue
            state = self.host.session.check(self.directory / file.name)
            is_shown = any(self.shown[number].size())
            if state == "unread" and is_shown:
                raise Fault("session", f"`{file.name}` was shown and is unread")
            if state != "unread" and not is_shown and self.numbers_of(number):
                raise Fault("session", f"nothing of `{file.name}` was shown, and it is {state}")

    def judge_footer(self, answer: Answer) -> None:
        """The footer names the same call as `next`."""
        named = answer.footer_next()
        case = self.case
        has_footer = case.max_tokens >= 6 * LEAST_TOKENS * case.factor and case.max_bytes >= 2 * LEAST_BYTES
        if answer.next is None:
            if named is not None:
                raise Fault("footer", f"it names {named}, and `next` is None")
        elif named is None:
            if has_footer:
                raise Fault("footer", f"it names no call, and `next` is {plain(answer.next)}")
        elif isinstance(named, dict):
            wanted = {name: value for name, value in answer.next.items() if name not in OWN}
            if as_json(named) != as_json(wanted):
                raise Fault("footer", f"it names {named}, and `next` is {plain(answer.next)}")

    # ------------------------------------------------------------------------------------- all answers

    def judge_all(self) -> None:
        """Each part that was asked for was shown once, in order."""
        if (
            self.case.way == "path"
            and self.case.files[0].kind == "text"
            and self.shown[0].texts
            and self.clips
        ):
            return
        for number, file in enumerate(self.case.files):
            if file.kind in maker.ERRORS:
                self.judge_error(file)
                continue
            self.judge_file(number, file)
            self.compared += 1

    def judge_error(self, file: File) -> None:
        if file.kind == "outside":
            count = self.outside + sum(file.name in name for name in self.errors)
        else:
            count = sum(self.named.get(name, name) == self.named[file.name] for name in self.errors)
        wanted = {1} if self.case.way == "places" else {1, 2}
        if file.kind != "outside" and count not in wanted:
            raise Fault("errors", f"`{file.name}` was named {count} times")
        if not count:
            raise Fault("errors", f"`{file.name}` was not named")

    def judge_file(self, number: int, file: File) -> None:
        shown, parts = self.shown[number], self.parts.of(number)
        numbers = self.numbers_of(number)
        if shown.documents:
            if shown.documents > 1 or shown.texts:
                raise Fault("twice", f"the document `{file.name}` and more")
            return
        if file.kind == "tall":
            judge_strips(file, shown, has_images=self.case.model != "text")
            return
        order = [n for n, _ in shown.texts] if file.kind != "directory" else []
        if order != sorted(order):
            raise Fault("order", f"the parts of `{file.name}` are shown in the order {order[:40]}")
        if file.kind == "directory":
            if numbers:
                self.judge_directory(file, numbers, shown)
            return
        if extra := sorted({n for n, _ in shown.texts + shown.pictures} - set(numbers)):
            raise Fault("extra", f"`{file.name}` has the parts {extra[:9]}, which nobody asked for")
        for n in numbers:
            wanted = parts[n].text[self.column(number, n) - 1 :] if n == numbers[0] else parts[n].text
            self.judge_text(f"part {n} of `{file.name}`", file, [t for m, t in shown.texts if m == n], wanted)
            self.judge_pictures(f"part {n} of `{file.name}`", file, n, shown, parts[n].pictures)

    def column(self, number: int, line: int) -> int:
        """Return the character with which the first line begins: the least of those of the places there."""
        asks = [ask for ask in self.case.asks if ask.file == number]
        if self.case.way not in {"places", "many"}:
            return asks[0].column
        columns = [1 for ask in asks if not ask.spans]
        for ask in asks:
            begun = [span for span in ask.spans if maker.begin(span) == line]
            columns += [ask.column if span is ask.spans[0] else 1 for span in begun]
        return min(columns, default=1)

    def judge_text(self, name: str, file: File, pieces: list[str], wanted: str) -> None:
        """The pieces of a part, one after the other, are the part."""
        if file.kind in {"tiff", "image"}:
            return
        if not pieces:
            if wanted or file.kind in NUMBERED:
                raise Fault("lost", f"{name} was not shown: {wanted[:60]!r}")
            return
        rest = wanted
        for piece in pieces:
            if file.kind not in NUMBERED:
                # Where a part is cut, the line ending there may be on neither page.
                rest, piece = rest.lstrip("\n"), piece.strip("\n")
            if file.kind == "sheet" and not rest.startswith(piece):
                # A row that goes on is below or after its letters.
                rest, piece = rest.lstrip("\t"), GONE_ON.sub("", piece).lstrip("\t")
            if not rest.startswith(piece):
                raise Fault("wrong", f"{name} goes on with {piece[:60]!r} instead of {rest[:60]!r}")
            rest = rest[len(piece) :]
        is_clipped = is_text(file) and len(pieces[-1]) == self.case.max_line_chars
        is_in_tool = self.case.way in {"places", "path"} or self.case.hands_over or self.case.way == "many"
        # Only the lines of a text file are followed to their ends.
        is_in_tool = is_in_tool or file.kind != "text"
        if rest.strip("\n") and not (is_clipped and is_in_tool):
            raise Fault("lost", f"{name} ends before {rest[:60]!r}")

    def judge_pictures(self, name: str, file: File, n: int, shown: Shown, wanted: list[int]) -> None:
        found = [color for m, color in shown.pictures if m == n]
        refused = [reason for m, reason in shown.refused if m == n]
        if self.case.model == "text":
            wanted = []
        if any(("over" in reason and "images" in reason) or "page is full" in reason for reason in refused):
            raise Fault("lost", f"{name}: {len(refused)} pictures are not shown: {refused[0]}")
        if len(found) != len(set(found)) or [each for each in wanted if each in found] != found:
            raise Fault("twice", f"{name} has the pictures {found} instead of {wanted}")
        if file.kind == "notebook" and len(found) + len(refused) < len(wanted):
            raise Fault(
                "lost", f"{name} has {len(found)} pictures of {len(wanted)}, and {len(refused)} are named"
            )
        if file.kind in {"tiff", "image"} and not found and wanted and not refused:
            raise Fault("lost", f"{name} has no picture")

    def judge_directory(self, file: File, numbers: list[int], shown: Shown) -> None:
        directory = self.directory / file.name
        names = sorted(f"{each.name}/" if each.is_dir() else each.name for each in directory.iterdir())
        names.sort(key=lambda name: name.rstrip("/"))
        wanted = [names[n - 1] for n in numbers]
        found = [text for _, text in shown.texts]
        if found != wanted:
            raise Fault("wrong", f"`{file.name}` has the entries {found[:9]} instead of {wanted[:9]}")


def is_text(file: File) -> bool:
    """Return whether its parts are lines, which are clipped one by one."""
    return file.kind in {"text", "document"} or file.at.endswith("/text")


def judge_strips(file: File, shown: Shown, *, has_images: bool) -> None:
    """The strips of a tall image go down it without a gap, and each band is whole in one or two.

    A strip that costs too much is named instead.
    """
    _, bands = file.parts[0]
    if not shown.refused and not shown.strips:
        raise Fault("lost", f"`{file.name}` is neither shown nor named")
    if shown.strips and not has_images:
        raise Fault("extra", f"`{file.name}` is shown to a model without images")
    counts = [0] * bands
    for first, height, data in shown.strips:
        rows = height or BAND * bands
        with Image.open(io.BytesIO(data)) as image:
            pixels, scale = image.convert("RGB"), image.height / rows
        for band in range(-(-first // BAND), (first + rows) // BAND):
            counts[band] += 1
            seen: Any = pixels.getpixel((pixels.width // 2, int((BAND * (band + 0.5) - first) * scale)))
            if BAND * scale >= 4 and nearest(seen) != band % len(COLORS):
                raise Fault("wrong", f"band {band} of `{file.name}` has the color {seen}")
    firsts = [first for first, _, _ in shown.strips]
    if firsts != sorted(set(firsts)):
        raise Fault("order", f"the strips of `{file.name}` begin at {firsts}")
    if not (0 if shown.refused else 1) <= min(counts) <= max(counts) <= 2:
        raise Fault("lost", f"the bands of `{file.name}` are shown {counts} times")


def total(walk: Walk, number: int) -> int:
    return maker.total_of(walk.case.files[number])


# ------------------------------------------------------------------------------------------- what is shown


def parsed(kind: str, blocks: Sequence[Any]) -> Shown:
    """Return the parts in the blocks of a page, with their numbers."""
    rows = "\n".join(block.text for block in blocks if isinstance(block, TextBlock)).split("\n")
    if kind in NUMBERED:
        found = [match for row in rows if (match := ROW.match(row))]
        # The entries of a list are counted from 0.
        texts = [(int(match[1] or int(match[2]) + 1), MARK.sub("", match[3])) for match in found]
        # The only line of a cell has no number.
        only = [row for row in rows if row and not row.startswith(("[", "\t"))] if kind == "sheet" else []
        texts = texts or [(1, MARK.sub("", row)) for row in only]
        return Shown(texts=texts, refused=[(0, row) for row in rows if NOTHING.match(row)])
    if kind == "directory":
        return Shown(texts=[(0, row.partition("\t")[0]) for row in rows if row and not row.startswith("[")])
    shown = Shown(documents=sum(isinstance(block, DocumentBlock) for block in blocks))
    bodies: dict[int, list[str]] = {}
    named: set[int] = set()
    current = 1
    for block in blocks:
        if isinstance(block, ImageBlock):
            shown.pictures.append((current, color_of(block)))
        for row in block.text.split("\n") if isinstance(block, TextBlock) else ():
            if match := UNITS[kind].search(row):
                current = int(match[1].replace(",", ""))
                # A cell or a page without a text is shown, too; a footer is no page.
                if kind in {"notebook", "slides"} or row.startswith(f"{match[0]}:"):
                    bodies.setdefault(current, [])
                    named.add(current)
            elif PICTURE.match(row) and kind == "notebook":
                size = re.search(r"\d+×\d+", row)
                bodies.setdefault(current, []).append(f"[image {size[0] if size else ''}]")
                if "not shown" in row:
                    shown.refused.append((current, row))
            elif not OURS.match(row):
                bodies.setdefault(current, []).append(row)
    if kind in {"tiff", "image", "tall"}:
        shown.strips = strips_of(rows, blocks) if kind == "tall" else []
        # The text is about the picture, and says so if it is not shown.
        shown.texts = [(current, "")]
        shown.refused = [] if shown.pictures else [(current, "\n".join(rows))]
    else:
        shown.texts = [(n, "\n".join(body)) for n, body in bodies.items() if "".join(body) or n in named]
    return shown


def strips_of(rows: Sequence[str], blocks: Sequence[Any]) -> list[tuple[int, int, bytes]]:
    """Return the strips of a tall image: their first row, their number of rows, and their bytes."""
    found = [(int(match[1]), int(match[2])) for row in rows if (match := STRIP.search(row))]
    pictures = [block.data for block in blocks if isinstance(block, ImageBlock)]
    return [(*place, data) for place, data in zip(found or [(0, 0)] * len(pictures), pictures, strict=True)]


_colors: dict[bytes, int] = {}


def color_of(block: ImageBlock) -> int:
    """Return the number of the color of a picture, at its corner."""
    if block.data not in _colors:
        with Image.open(io.BytesIO(block.data)) as image:
            corner: Any = image.convert("RGB").getpixel((min(2, image.width - 1), min(2, image.height - 1)))
        _colors[block.data] = nearest(corner)
    return _colors[block.data]


def nearest(color: tuple[int, int, int]) -> int:
    """Return the number of the color that is most like this one."""
    return min(
        range(len(COLORS)), key=lambda n: sum((a - b) ** 2 for a, b in zip(COLORS[n], color, strict=True))
    )


@dataclass
class Part:
    """The text of a part, and the colors of its pictures."""

    text: str
    pictures: list[int]


_parts: dict[tuple[File, int], dict[int, Part]] = {}


class Parts:
    """The parts of the files of a case, without limits: pages and cells each alone, of texts by `oracle`."""

    def __init__(self, case: Case, directory: Path) -> None:
        self.case, self.directory = case, directory
        self.blocks: dict[tuple[int, int], range] = {}

    def around(self, number: int, line: int) -> Iterable[int]:
        """Return the lines that belong to a line: those of its block, found alone, or ten around it."""
        file = self.case.files[number]
        if self.case.context == "lines" or not maker.is_code(file):
            return maker.ten_lines(line)
        if (number, line) not in self.blocks:
            encoding = file.encoding if file.encoding == "cp1252" else None
            reader = Reader(limits=self.case.limits(is_whole=True), model=anyread.Model.text_only())
            page = reader.read_sync(self.directory / file.name, ranges=[line], encoding=encoding, kind="text")
            ((first, last),) = page.ranges
            if page.next is not None or not first <= line <= last or last - first >= MOST_BLOCK:
                raise Fault("block", f"line {line} of `{file.name}` has the lines {first}-{last}")
            self.blocks[number, line] = range(first, last + 1)
        return self.blocks[number, line]

    def of(self, number: int) -> dict[int, Part]:
        file = self.case.files[number]
        key = replace(file, name="", link=""), self.case.max_line_chars
        if key not in _parts:
            _parts[key] = self.read(file)
        return _parts[key]

    def read(self, file: File) -> dict[int, Part]:
        path, total = self.directory / file.name, maker.total_of(file)
        if file.kind == "text":
            encoding = file.encoding if file.encoding == "cp1252" else None
            lines = oracle.load(path.read_bytes(), encoding).lines
            return {n: Part(oracle.text_of(line.characters), []) for n, line in enumerate(lines, 1)}
        if file.kind in {"tiff", "image", "tall"}:
            return {n: Part("", [(n - 1) % len(COLORS)]) for n in range(1, total + 1)}
        reader = Reader(limits=self.case.limits(is_whole=True), model=anyread.Model.text_only())
        found = {}
        if file.kind == "document":
            return {n: Part(text, []) for n, text in enumerate(documents.lines_of(file.parts), 1)}
        if is_text(file):
            return {n: Part(text, []) for n, text in enumerate(lines_of(file.parts), 1)}
        if file.kind in NUMBERED and total:
            page = reader.read_sync(path, ranges=[(1, total)], **maker.call_of(file))
            texts = parsed(file.kind, page.blocks).texts
            return {n: Part(text, []) for n, text in texts if file.parts[n - 1]}
        has_parts = file.kind not in {"directory", *maker.ERRORS}
        for n in range(1, total + 1) if has_parts else ():
            page = reader.read_sync(path, ranges=[(n, n)], **maker.call_of(file))
            text = "\n".join(text for m, text in parsed(file.kind, page.blocks).texts if m == n)
            pictures: Iterable[int] = [n - 1] if file.kind == "pdf" else []
            if file.kind == "notebook":
                pictures = range(file.parts[n - 1][2])
            found[n] = Part(text.strip("\n"), [color % len(COLORS) for color in pictures])
        return found


# ------------------------------------------------------------------------------------------------- helpers


def plain(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if name != "since_version"}


def as_json(value: Any) -> Any:
    """Return a value with lists instead of tuples."""
    if isinstance(value, Mapping):
        return {name: as_json(each) for name, each in value.items()}
    return [as_json(each) for each in value] if isinstance(value, list | tuple) else value


def as_place(arguments: Mapping[str, Any]) -> str:
    """Write a continuation as the part of a place after its path."""
    if "ranges" in arguments:
        spans = [(each, each) if isinstance(each, int) else each for each in arguments["ranges"]]
    elif "pages" in arguments:
        first, between, last = str(arguments["pages"]).partition("-")
        spans = [(int(first), int(last or maker.END) if between else int(first))]
    else:
        spans = [(arguments.get("offset", 1), maker.END)]
    texts = [maker.span_text(tuple(span)) for span in spans]
    column = arguments.get("column", 1)
    if column > 1:
        first, between, last = texts[0].partition("-")
        texts[0] = f"{first}@{column}-{last if between else first}"
    return ",".join(texts)


def at_once(coroutine: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine that waits for nothing."""
    try:
        coroutine.send(None)
    except StopIteration:
        return
    raise AssertionError("it waited")


def make(case: Case, directory: Path, *, on_loop: bool = False) -> Walk:
    """Write the files of a case, and read the parts that its pages must show."""
    directory.mkdir(parents=True)
    (directory.parent / "outside").mkdir(exist_ok=True)
    for file in case.files:
        maker.write(file, directory)
    parts = Parts(case, directory)
    for number in range(len(case.files)):
        parts.of(number)
    return Walk(case, directory, parts, on_loop=on_loop)
