"""Letting go of what the frames of a failed call still refer to."""

from __future__ import annotations


def release_locals(error: BaseException, *, outside: BaseException | None) -> None:
    """Clear the local variables of the frames that an error has left.

    An error refers to these frames, and they to the open file: whoever keeps the error would keep the
    descriptor. Even one that nobody keeps may be part of a reference cycle, as in asyncio's tasks.
    The traceback still names each line.

    Args:
        error: An error whose frames have ended, except that of the caller.
        outside: What was being handled when the call began; it and its causes are not of this call.
    """
    # Only errors need the module.
    from traceback import clear_frames

    chained: BaseException | None = error
    while chained is not None and chained is not outside:
        clear_frames(chained.__traceback__)
        chained = chained.__cause__ or chained.__context__
