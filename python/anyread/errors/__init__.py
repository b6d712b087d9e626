"""Everything that a read can raise.

Each class is followed by the builtin exception that it also is, and by its `code`::

    ReadError (Exception)
    ├── NotFoundError (FileNotFoundError)        not_found             ┐
    ├── AmbiguousPathError (FileNotFoundError)   ambiguous_path        │
    ├── AccessError (PermissionError)            permission_denied     │
    ├── OutsideRootError (PermissionError)       outside_root          │
    ├── DeniedError (PermissionError)            denied                │
    ├── DirectoryError (IsADirectoryError)       is_a_directory        │ opening
    ├── NotRegularFileError (OSError)            not_a_regular_file    │
    ├── BadPathError (ValueError)                bad_path              │
    ├── FileSystemError (OSError)                io_error              │
    ├── ReadTimeoutError (TimeoutError)          timeout               │
    ├── FileChangedError (RuntimeError)          changed_during_read   │
    ├── StaleReadError (RuntimeError)            stale_read            ┘
    ├── BinaryFileError (ValueError)             binary                ┐
    ├── UnsupportedFormatError (ValueError)      unsupported_format    │
    ├── DamagedFileError (ValueError)            damaged               │ content
    ├── PasswordRequiredError (PermissionError)  password_required     │
    ├── TooLargeError (ValueError)               too_large             │
    ├── OverBudgetError (ValueError)             over_budget           ┘
    ├── OffsetPastEndError (ValueError)          offset_past_end       ┐
    ├── BadArgumentError (ValueError)            bad_argument          │ arguments
    │   ├── UnknownEncodingError                 bad_argument          │
    │   └── WrongKindError                       wrong_kind            ┘
    ├── DecoderTimeoutError (RuntimeError)       decoder_timeout       ┐
    ├── DecoderMemoryError (RuntimeError)        decoder_memory        │ decoding
    ├── DecoderCrashedError (RuntimeError)       decoder_crashed       │
    └── DecoderUnavailableError (RuntimeError)   decoder_unavailable   ┘

Classes that are an `OSError` have its `errno`, `strerror` and `filename`.
All errors can be pickled and copied with their fields.
"""

from .arguments import BadArgumentError, OffsetPastEndError, UnknownEncodingError, WrongKindError
from .base import ReadError
from .content import (
    BinaryFileError,
    DamagedFileError,
    OverBudgetError,
    PasswordRequiredError,
    TooLargeError,
    UnsupportedFormatError,
)
from .decoding import (
    DecoderCrashedError,
    DecoderMemoryError,
    DecoderTimeoutError,
    DecoderUnavailableError,
)
from .opening import (
    AccessError,
    AmbiguousPathError,
    BadPathError,
    DeniedError,
    DirectoryError,
    FileChangedError,
    FileSystemError,
    NotFoundError,
    NotRegularFileError,
    OutsideRootError,
    ReadTimeoutError,
    StaleReadError,
)

__all__ = [
    "AccessError",
    "AmbiguousPathError",
    "BadArgumentError",
    "BadPathError",
    "BinaryFileError",
    "DamagedFileError",
    "DecoderCrashedError",
    "DecoderMemoryError",
    "DecoderTimeoutError",
    "DecoderUnavailableError",
    "DeniedError",
    "DirectoryError",
    "FileChangedError",
    "FileSystemError",
    "NotFoundError",
    "NotRegularFileError",
    "OffsetPastEndError",
    "OutsideRootError",
    "OverBudgetError",
    "PasswordRequiredError",
    "ReadError",
    "ReadTimeoutError",
    "StaleReadError",
    "TooLargeError",
    "UnknownEncodingError",
    "UnsupportedFormatError",
    "WrongKindError",
]
