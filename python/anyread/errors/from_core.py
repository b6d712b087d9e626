"""Exceptions for the errors of the core, which reports a code and facts without wording."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .arguments import BadArgumentError, UnknownEncodingError
from .base import ReadError, counted, one_line, tree

CLASSES: dict[str, Callable[..., ReadError]] = {
    "column_past_end": BadArgumentError,
    "bad_root": BadArgumentError,
    "bad_rule": BadArgumentError,
    "unknown_encoding": UnknownEncodingError,
    **{kind.code: kind for kind in tree() if "code" in vars(kind)},
}
"""The class for each code of the core."""
_PATH_FAULTS = {
    "empty": "it is empty",
    "nul": "it contains a NUL byte",
    "name_too_long": "one of its names is too long",
    "path_too_long": "it is longer than {max_bytes:,} bytes",
}
_RULE_FAULTS = {
    "empty": "it is empty",
    "no_home": "`~` requires HOME to be an absolute path in UTF-8",
    "syntax": "{message}",
}


def from_core(code: str, path: str, facts: dict[str, Any]) -> ReadError:
    """Return the exception for a code and its facts."""
    match code:
        case "bad_path":
            facts = {"reason": _PATH_FAULTS[facts.pop("fault")].format(**facts)}
        case "column_past_end":
            count = facts["characters"]
            has = f"line {facts['line']:,} has {counted(count, 'characters')}"
            reason = f"from 1 to {max(1, count):,}: {has}"
            facts = {"argument": "column", "value": str(facts["column"]), "reason": reason}
        case "bad_root":
            reason = "existing directories that this process can access"
            facts = {"argument": "roots", "value": path, "reason": reason}
        case "bad_rule":
            fault = _RULE_FAULTS[facts["fault"]].format(message=facts.get("message"))
            reason = f"globs such as `**/.env` ({fault})"
            facts = {"argument": "deny", "value": facts["rule"], "reason": reason}
        case "password_required":
            facts = {"media_type": "application/x-ole-storage"}
        case "unknown_encoding":
            facts = facts | {"value": one_line(facts["value"])}
    return CLASSES[code](path, **facts)
