"""Images of notebooks: fitted side by side, on event loops and in threads, and what drives them."""

from __future__ import annotations

import base64
import io
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from PIL import Image

import anyread
from anyread.decoding.host import fitting
from anyread.decoding.host.driving import run_all, run_all_sync
from anyread.decoding.protocol import Wait
from notebooks import code, display, markdown, png, write

if TYPE_CHECKING:
    from collections.abc import Callable

    from anyread.decoding.protocol import Exchange


def images(tmp_path: Path, count: int, *, broken: int = -1, height: int = 10) -> Path:
    """Write a notebook of images that differ in width."""
    cells = []
    for number in range(count):
        data = base64.b64encode(b"no image").decode() if number == broken else png(20 + number, height)
        cells += [markdown(f"image {number}"), code("show()", display(image_png=data))]
    return write(tmp_path, *cells)


def widths(page: Any) -> list[int | None]:
    """Give the width of each image; `None`: it is not shown."""
    pictures = [output.picture for cell in page.cells for output in cell.outputs]
    return [None if picture.block is None else picture.block.width for picture in pictures]


async def test_images_keep_their_order_on_every_loop(tmp_path: Path) -> None:
    path = images(tmp_path, 12, broken=5)
    expected = [None if number == 5 else 20 + number for number in range(12)]
    page = await anyread.read(path)
    assert widths(page) == expected
    assert widths(anyread.read_sync(path)) == expected


def test_images_are_fitted_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Images were fitted one after another, which took seconds for a notebook of plots."""
    pool = fitting.shared_pool()
    at_work: list[int] = []
    acquire = type(pool).acquire

    def watched(self: Any, *arguments: Any, **named: Any) -> Any:
        child = yield from acquire(self, *arguments, **named)
        at_work.append(self._at_work)
        return child

    monkeypatch.setattr(type(pool), "acquire", watched)
    # Small images are fitted before this thread comes to the second one, if the machine is busy.
    anyread.read_sync(images(tmp_path, 8, height=40_000))
    assert max(at_work) == min(8, pool.size)


def test_large_images_of_threads_do_not_wait_for_each_other(tmp_path: Path) -> None:
    file = io.BytesIO()
    Image.effect_noise((700, 500), 60).save(file, "PNG")
    data = base64.b64encode(file.getvalue()).decode()
    path = write(tmp_path, *[code("x", display(image_png=data)) for _ in range(6)])
    pages: list[Any] = []
    threads = [threading.Thread(target=lambda: pages.append(anyread.read_sync(path))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [widths(page) for page in pages] == [[700] * 6] * 3


# -- what drives them


def ticking(steps: int, log: list[str], name: str) -> Exchange[str]:
    for step in range(steps):
        log.append(f"{name}{step}")
        assert not (yield Wait(None, writable=False, deadline=0.0))
    return name


def failing(log: list[str]) -> Exchange[str]:
    yield Wait(None, writable=False, deadline=0.0)
    log.append("fails")
    raise LookupError("no")


def test_exchanges_of_a_thread_take_turns() -> None:
    log: list[str] = []
    exchanges = [ticking(3, log, "a"), ticking(0, log, "b"), ticking(2, log, "c"), ticking(1, log, "d")]
    assert run_all_sync(exchanges, at_once=2) == ["a", "b", "c", "d"]
    assert log == ["a0", "c0", "a1", "c1", "a2", "d0"]


def test_exchange_that_fails_ends_the_others_of_its_thread() -> None:
    log: list[str] = []
    other = ticking(100, log, "a")
    with pytest.raises(LookupError):
        run_all_sync([other, failing(log)], at_once=2)
    assert list(other) == []
    assert len(log) < 5


async def test_exchanges_of_a_loop_take_turns() -> None:
    log: list[str] = []
    exchanges = [ticking(3, log, "a"), ticking(0, log, "b"), ticking(2, log, "c")]
    assert await run_all(exchanges, at_once=2) == ["a", "b", "c"]
    assert {"a2", "c1"} <= set(log)


class Doorbell:
    """Something that happens once, in another thread."""

    def __init__(self) -> None:
        self.has_rung = False
        self.wake: Callable[[], object] = lambda: None
        self.is_heard = threading.Event()

    def listen(self, wake: Callable[[], object]) -> None:
        self.wake = wake
        self.is_heard.set()
        if self.has_rung:
            wake()

    def ring(self) -> None:
        self.is_heard.wait(30)
        self.has_rung = True
        self.wake()


def waiting(bell: Doorbell) -> Exchange[bool]:
    return (yield Wait(None, writable=False, deadline=None, bell=bell))


def test_exchange_that_waits_for_a_bell_is_woken_beside_others() -> None:
    bell, log = Doorbell(), list[str]()
    ringer = threading.Thread(target=bell.ring)
    ringer.start()
    assert run_all_sync([waiting(bell), ticking(2, log, "a")], at_once=2) == [True, "a"]
    ringer.join(30)
    assert log == ["a0", "a1"]
