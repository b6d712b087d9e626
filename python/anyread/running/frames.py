"""Letting go of what the frames of a failed call still refer to."""

from __future__ import annotations

from contextlib import suppress


def release_locals(error: BaseException, *, outside: BaseException | None) -> None:
    """Clear the local variables of the frames that an error has left.

    An error refers to these frames, and they to the open file: whoever keeps the error would keep the
    descriptor. Even one that nobody keeps may be part of a reference cycle, as in asyncio's tasks.
    The traceback still names each line.

    Args:
        error: An error whose frames have ended, except that of the caller.
        outside: What was being handled when the call began; it and its causes are not of this call.
    """
    seen: set[int] = set()
    chained: BaseException | None = error
    # `raise e from e` is legal.
    while chained is not None and chained is not outside and id(chained) not in seen:
        seen.add(id(chained))
        traceback = chained.__traceback__
        while traceback is not None:
            # As `traceback.clear_frames`, which cannot be imported while the interpreter exits.
            with suppress(RuntimeError):
                traceback.tb_frame.clear()
            traceback = traceback.tb_next
        chained = chained.__cause__ or chained.__context__
