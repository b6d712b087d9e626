"""Serve the files of a directory over HTTP: `python -m examples.web_service DIRECTORY`.

It needs `pip install fastapi uvicorn`.

GET /files/PATH returns a page as JSON, GET /images/PATH an image, and GET /tail/PATH
the last lines and then new ones as they come. Reads share the event loop with all other
requests, and a client that disconnects stops its read.
"""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Annotated

from fastapi import FastAPI, Query, Request, Response
from fastapi.responses import JSONResponse, StreamingResponse

import anyread


def make_app(directory: str) -> FastAPI:
    """Return the service of a directory."""
    app = FastAPI(title="Files")
    limits = anyread.Limits(timeout_s=10)
    reader = anyread.Reader(roots=[directory], deny="secrets", limits=limits)

    @app.get("/files/{path:path}")
    async def file(
        path: str,
        offset: int = 1,
        limit: Annotated[int | None, Query(le=10_000)] = None,
        version: str = "",
    ) -> Response:
        """Return a window, unless it is still the one of the answer with `version`."""
        page = await reader.read(
            path, offset=offset, limit=limit, unless_version=version or None
        )
        if isinstance(page, anyread.Unchanged):
            return Response(status_code=HTTPStatus.NOT_MODIFIED)
        return JSONResponse(page.to_dict(), headers={"ETag": f'"{page.version}"'})

    @app.get("/images/{path:path}")
    async def image(path: str) -> Response:
        """Return an image at the size that all current models accept."""
        view = await reader.read(path, kind="image")
        (block,) = (
            block for block in view.blocks if isinstance(block, anyread.ImageBlock)
        )
        return Response(block.data, media_type=block.media_type)

    @app.get("/tail/{path:path}")
    async def tail(
        path: str, lines: Annotated[int, Query(ge=1)] = 10
    ) -> StreamingResponse:
        """Return the last lines and what is appended, as server-sent events."""

        async def events() -> AsyncIterator[str]:
            async with reader.follow(path, offset=-lines) as log:
                async for appended in log:
                    data = {"line": appended.start_line, "text": appended.text}
                    yield f"data: {json.dumps(data)}\n\n"

        return StreamingResponse(events(), media_type="text/event-stream")

    @app.exception_handler(anyread.ReadError)
    async def failed(_: Request, error: anyread.ReadError) -> JSONResponse:
        """Return an error with its code, its hint and a status."""
        statuses = (
            status for builtin, status in STATUSES.items() if isinstance(error, builtin)
        )
        return JSONResponse(
            error.to_dict(), status_code=next(statuses, HTTPStatus.CONFLICT)
        )

    return app


STATUSES: dict[type[Exception], HTTPStatus] = {
    FileNotFoundError: HTTPStatus.NOT_FOUND,
    PermissionError: HTTPStatus.FORBIDDEN,
    TimeoutError: HTTPStatus.GATEWAY_TIMEOUT,
    ValueError: HTTPStatus.UNPROCESSABLE_ENTITY,
}
"""The status of each builtin class of errors; the others get 409."""


if __name__ == "__main__":
    import uvicorn

    uvicorn.run(make_app(sys.argv[1]), host="127.0.0.1", port=8000)
