"""One task with one reader: rounds of calls, until everything is shown or the policy gives up."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from anyread_conformance.reply import Reply

from . import policy
from .reader import Exchange, Place, Reader
from .tokens import image_tokens, pdf_tokens

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from .shell import Shell
    from .tokens import TokenCounter
    from .truth import Truth

_CLIPPED_FROM = 1_900
_CLIPPED_SHOWN = 1_500
_SHORT_TEXT = 60
_LEAST_PLOT, _LEAST_PAGE = 100, 500
"""The tokens of the smallest images on which somebody can read a plot and a page."""
_ENOUGH = 0.85
_FEW_WORDS = re.compile(r"\S+(?:\s+\S+){0,3}")


@dataclass(frozen=True, slots=True)
class Call:
    """What one call cost."""

    round_number: int
    asked_tokens: int
    shown_tokens: int
    by_shell: bool
    seconds: float
    memory_bytes: int


@dataclass(slots=True)
class Outcome:
    """What came of a task with a reader."""

    task: str
    family: str
    gold_tokens: int
    """The tokens of the lines that answer the task."""
    calls: list[Call] = field(default_factory=list)
    wrong: int = 0
    """Lines that the file does not have at the number that was shown."""
    swallowed: int = 0
    """Lines that an answer leaves out between their neighbours, although they were asked for."""
    repeated: int = 0
    """Lines that had been shown before."""
    refused: int = 0
    """Calls that were refused or failed."""
    late: int = 0
    """Calls that had no answer in time."""
    missing: int = 0
    """Lines or texts of the gold that were never shown."""

    @property
    def rounds(self) -> int:
        """The number of turns if calls are made in parallel."""
        return self.calls[-1].round_number if self.calls else 0

    @property
    def alone(self) -> bool:
        """Whether the reader did it without the shell."""
        return not self.missing and not any(call.by_shell for call in self.calls)

    def cost(self, *, serial: bool = False, shell: bool = True) -> int:
        """Return tokens times turns: each call is sent again with every later turn.

        Args:
            serial: Whether each call is a turn of its own.
            shell: Whether the calls of the shell count.
        """
        calls = [call for call in self.calls if shell or not call.by_shell]
        count = len(calls)
        return sum(
            (call.asked_tokens + call.shown_tokens)
            * (count - index if serial else self.rounds - call.round_number + 1)
            for index, call in enumerate(calls)
        )


class Conversation:
    """Runs a task.

    Args:
        task: The task.
        reader: The reader; the shell is one, too.
        shell: What the policy uses for what the reader cannot do.
        truth: What the files say.
        tokens: The counter.
        root: The directory that is shown as `/w`.
        window: How many lines a model asks for around a place.
        show: Called with each call's arguments and answer, for `--explain`.
    """

    def __init__(
        self,
        task: dict[str, Any],
        reader: Reader | Shell,
        shell: Shell,
        *,
        truth: Truth,
        tokens: TokenCounter,
        root: Path,
        window: int,
        show: Callable[[str], None] | None = None,
    ) -> None:
        self._task, self._reader, self._shell, self._truth = task, reader, shell, truth
        self._tokens, self._root, self._window, self._show = tokens, str(root), window, show
        self._shown: dict[tuple[str, int], str] = {}
        self._texts = _Texts()
        self._lined: set[str] = set()
        self._image = 0
        self._round = 0
        self.outcome = Outcome(task["id"], task["family"], 0)

    def run(self) -> Outcome:
        """Run the task, and return what came of it."""
        wants = [self._absolute(want) for want in self._task["wants"]]
        for stage in [[want] for want in wants] if self._task.get("stages") else [wants]:
            for want in stage:
                if want.get("append"):
                    with open(want["path"], "a", encoding="utf-8", newline="") as stream:  # noqa: PTH123 - text
                        stream.write("".join(f"{line}\n" for line in want["append"]))
            self._stage(stage)
        return self.outcome

    def _absolute(self, want: dict[str, Any]) -> dict[str, Any]:
        gold = self._truth.gold(want)
        self.outcome.gold_tokens += self._tokens.count("\n".join(text for _, text in gold))
        if gold[0][0]:
            self._lined.add(f"{self._root}/{want['path']}")
        named: dict[str, Any] = {
            name: self._place_of(want[name]) for name in ("path", "top", "given") if name in want
        }
        return {**want, **named, "gold": gold, "root": self._root}

    def _place_of(self, name: str) -> str:
        """Return a name below the root as an absolute one; quotes and schemes stay in front."""
        quote = re.match(r"file://|[\"'`]", name)
        front = quote[0] if quote else ""
        return f"{front}{self._root}/{name.removeprefix(front)}"

    def _stage(self, wants: list[dict[str, Any]]) -> None:
        can = self._reader.form
        properties = self._reader.caller.properties if isinstance(self._reader, Reader) else {}
        looks = [
            policy.Look(
                want,
                policy.first_place(want),
                self._window,
                lambda place: can(place) is not None,
                properties,
                step=self._window,
            )
            for want in wants
        ]
        for look in looks:
            look.place = policy.expressed(look.place, look)
        while looks and self._round < policy.MOST_ROUNDS:
            exchanges = self._ask([look.place for look in looks])
            following = []
            for look in looks:
                missing = self._missing(look.want)
                if missing:
                    self._see(look, missing, exchanges)
                    found = policy.next_place(look)
                    if found and "next" not in found:
                        found = policy.expressed(found, look)
                    if found and (not found.get("shell") or self._shell.form(found) is not None):
                        look.place = found
                        following.append(look)
            looks = following
        self.outcome.missing += sum(len(self._missing(want)) for want in wants)
        self.outcome.missing += sum(1 for want in wants if want.get("image") and self._image < _LEAST_PLOT)

    def _ask(self, places: list[Place]) -> list[Exchange]:
        """Ask for all places of a round at once."""
        self._round += 1
        plain = [place for place in places if not place.get("shell") and "next" not in place]
        exchanges: list[Exchange] = []
        if isinstance(self._reader, Reader):
            exchanges += [self._followed(place) for place in places if "next" in place]
            if plain:
                exchanges += self._reader.ask(_merged(plain))
            plain = []
        rest = [{**place, "shell": True} for place in places if place.get("shell") or place in plain]
        if rest:
            exchanges += self._shell.ask(_merged(rest))
        for exchange in exchanges:
            self._record(exchange)
        return exchanges

    def _followed(self, place: Place) -> Exchange:
        """Repeat the call for a place with the arguments that its answer named."""
        assert isinstance(self._reader, Reader)
        plain = {name: value for name, value in place.items() if name != "next"}
        form = self._reader.form(plain) or {}
        kept = {name: value for name, value in form.items() if not isinstance(value, list)}
        if not kept:
            kept = {self._reader.caller.renamed("path"): "{path}"}
        exchange = self._reader.asked({**kept, **place["next"]}, plain)
        return Exchange(exchange.arguments, exchange.reply, [place], exchange.lines)

    def _record(self, exchange: Exchange) -> None:
        reply, outcome = exchange.reply, self.outcome
        asked, shown = self._public(exchange.arguments), self._public(reply.read_text)
        images = [_tokens_of(image) for image in reply.images]
        by_shell = exchange.by_shell and isinstance(self._reader, Reader)
        outcome.calls.append(
            Call(
                self._round,
                self._tokens.count(asked),
                self._tokens.count(shown) + sum(images),
                by_shell,
                reply.seconds,
                reply.memory_bytes,
            )
        )
        outcome.refused += reply.outcome != "shown"
        outcome.late += reply.outcome == "hung"
        self._image = max([self._image, *images])
        self._texts.add(reply.text)
        for path in self._lined & {each[0] for each in exchange.lines}:
            truth = self._truth.lines(path)
            for _, number, text in (each for each in exchange.lines if each[0] == path):
                self._line(path, number, text, truth)
        self._count_swallowed(exchange)
        if self._show is not None:
            tool = "shell" if exchange.by_shell else "call"
            self._show(f"[turn {self._round}, {tool}] {asked}\n{shown}")

    def _count_swallowed(self, exchange: Exchange) -> None:
        shown = {(path, number) for path, number, _ in exchange.lines}
        for place in exchange.places:
            if place["kind"] == "lines":
                path = place["path"]
                self.outcome.swallowed += sum(
                    (path, n) not in shown and (path, n - 1) in shown and (path, n + 1) in shown
                    for n in range(place["first"] + 1, place["last"])
                )

    def _line(self, path: str, number: int, text: str, truth: list[str]) -> None:
        if not 1 <= number <= len(truth):
            self.outcome.wrong += bool(text)
            return
        real = truth[number - 1]
        self.outcome.wrong += not _same(text, real)
        key = (path, number)
        self.outcome.repeated += key in self._shown
        if key not in self._shown or _like(text, real):
            self._shown[key] = text

    def _missing(self, want: dict[str, Any]) -> list[tuple[int, str]]:
        if want["kind"] == "page" and self._image >= _LEAST_PAGE:
            return []
        return [
            (number, text)
            for number, text in want["gold"]
            if not (
                _like(self._shown.get((want["path"], number), "\0"), text)
                if number
                else self._texts.has(text)
            )
        ]

    def _see(self, look: policy.Look, missing: list[tuple[int, str]], exchanges: list[Exchange]) -> None:
        """Tell the policy what a model sees in the answer."""
        mine = [
            each for each in exchanges if any(place["path"] == look.place["path"] for place in each.places)
        ]
        last = mine[-1] if mine else Exchange("", Reply(outcome="refused"), [], [])
        path = look.want["path"]
        look.text = last.reply.read_text
        look.refused = last.reply.outcome != "shown"
        look.names_lines = any(each[0] == path for each in last.lines)
        look.missing = (missing[0][0], missing[-1][0])
        look.shown = {number for name, number in self._shown if name == path}
        wanted = dict(missing)
        look.unreadable = any(
            name == path and number in wanted and not _like(text, wanted[number])
            for name, number, text in last.lines
        )

    def _public(self, text: str) -> str:
        return text.replace(self._root, "/w")


class _Texts:
    """All text that was shown, for gold that is no line of a file."""

    def __init__(self) -> None:
        self._plain = ""
        self._letters = ""

    def add(self, text: str) -> None:
        """Add an answer, without the targets of links and without line numbers."""
        text = re.sub(r"\]\([^)\s]*\)", "] ", text)
        self._plain += "".join(text.split()) + "\n"
        self._letters += _letters(re.sub(r"(?m)^-?\d+\t|^\t", "", text)) + "\n"

    def has(self, text: str) -> bool:
        """Return whether a text was shown, whatever is between its words."""
        letters = _letters(text)
        if letters and letters in self._letters:
            return True
        if len(letters) < _SHORT_TEXT:
            return "".join(text.split()) in self._plain
        parts = [_letters(part) for part in _FEW_WORDS.findall(text)]
        return sum(part in self._letters for part in parts) >= _ENOUGH * len(parts)


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text)).casefold()


def _same(shown: str, real: str) -> bool:
    if shown.removesuffix("\r") in {real, real.expandtabs()}:
        return True
    return len(real) > _CLIPPED_FROM and shown[:_CLIPPED_SHOWN] == real[:_CLIPPED_SHOWN]


def _like(shown: str, real: str) -> bool:
    """Return whether the line can be read, although its tabs are expanded or its end is cut."""
    first, second = " ".join(shown.split()), " ".join(real.split())
    return first == second or (len(real) > _CLIPPED_FROM and second.startswith(first[:_CLIPPED_SHOWN]))


def _merged(places: list[Place]) -> list[Place]:
    """Windows of one file that overlap or touch are one, and equal places are one."""
    merged: list[Place] = []
    for place in places:
        if place in merged:
            continue
        for other in merged if place["kind"] == "lines" else ():
            same = other["kind"] == "lines" and other["path"] == place["path"]
            same = same and other.get("encoding") == place.get("encoding")
            if same and place["first"] <= other["last"] + 1 and other["first"] <= place["last"] + 1:
                other["first"] = min(other["first"], place["first"])
                other["last"] = max(other["last"], place["last"])
                break
        else:
            merged.append(dict(place))
    return merged


def _tokens_of(image: Any) -> int:
    import io

    if image.media_type == "application/pdf":
        return pdf_tokens(image.data)
    from PIL import Image

    try:
        with Image.open(io.BytesIO(image.data)) as decoded:
            return image_tokens(*decoded.size)
    except Exception:  # noqa: BLE001 - whatever a reader sends as an image
        return image_tokens(10_000, 10_000)
