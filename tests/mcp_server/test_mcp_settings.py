"""Settings of the server that hosts pass: line numbers and the environment; and progress with its end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest

from anyread.cli import main
from mcp_server.serving import LEGACY, MODERN, Served, endless, http, stdio


def test_root_of_the_server_may_be_in_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ANYREAD_ROOT", str(tmp_path / "none"))
    assert main(["mcp"]) == 2
    assert str(tmp_path / "none") in capfd.readouterr().err
    monkeypatch.delenv("ANYREAD_ROOT")
    assert main(["mcp"]) == 2
    assert "required: --root (or set ANYREAD_ROOT)" in capfd.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(("connect", "era"), [(stdio, LEGACY), (http, MODERN)])
async def test_progress_has_the_size_of_the_scan(connect: Any, era: str, served: Served) -> None:
    endless(served.directory / "endless.log")
    reported: list[tuple[float, float | None, str | None]] = []
    async with connect(served, mode=era) as client:
        with anyio.CancelScope() as scope:

            async def note(progress: float, total: float | None, message: str | None) -> None:
                reported.append((progress, total, message))
                # The first megabytes are scanned before it is known how far the scan may go.
                if total is not None:
                    scope.cancel()

            await client.call_tool("read", {"path": "endless.log", "offset": 10**9}, progress_callback=note)
        # The server has taken the cancellation when it answers the next call.
        await client.call_tool("read", {"path": "endless.log", "limit": 1})
    progress, total, message = reported[-1]
    assert total is not None
    assert total == pytest.approx(1 << 40, rel=0.01)
    assert 0 < progress <= total
    assert (message or "").endswith("of 1,099,512 MB")
