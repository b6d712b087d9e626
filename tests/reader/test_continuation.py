"""On each event loop, following `next` shows everything once; row S16 does the same by blocking."""

from __future__ import annotations

from pathlib import Path

import pytest

from continuation import maker, search, walker


@pytest.mark.anyio
@pytest.mark.parametrize("seed", range(5_000_000, 5_000_006))
async def test_following_next_on_an_event_loop_shows_everything_once(tmp_path: Path, seed: int) -> None:
    walk = walker.make(maker.case_of(seed), tmp_path / "files", on_loop=True)
    try:
        await walk.run()
    except walker.Fault as fault:
        pytest.fail(search.report(seed, walk, fault))
