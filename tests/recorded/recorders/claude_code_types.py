"""Check the rows of `claude-code` against the public types of Claude Code; pass a directory of packages.

Its answers are not recorded, because the tool runs only inside of a program that needs an account. They are
written by hand, and every answer that is not a refusal must have the type `FileReadOutput`, without any other
field. The arguments must be those of `FileReadInput`. `recorded/README.md` has the command that fills the
directory.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from anyread.tools.claude_code import REFERENCE, ClaudeCode
from helpers.recorded_calls import rows

PACKAGE = "@anthropic-ai/claude-code"


def plain(value: Any) -> Any:
    """Return an answer with a text in place of each object that stands for one."""
    if isinstance(value, dict):
        if any(key.startswith("$") for key in value):
            return ""
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


directory = Path(sys.argv[1])
types = directory / "node_modules" / PACKAGE / "sdk-tools"
version = json.loads(types.with_name("package.json").read_text("utf-8"))["version"]
assert version == REFERENCE[PACKAGE], f"{PACKAGE} is {version}"
answers = [
    f"{json.dumps(plain(call['answer']))}, // {row['id']}"
    for row in rows("claude-code")
    for call in row["calls"]
    if "$refused" not in call["answer"]
]
lines = [
    f'import type {{ FileReadInput, FileReadOutput }} from "./{types.relative_to(directory)}";',
    f"export const names: (keyof FileReadInput)[] = {json.dumps(list(ClaudeCode.schema['properties']))};",
    "export const answers: FileReadOutput[] = [",
    *answers,
    "];",
]
source = directory / "answers.ts"
source.write_text("\n".join(lines), "utf-8")
compiler = directory / "node_modules" / "typescript" / "bin" / "tsc"
done = subprocess.run(["node", compiler, "--strict", "--noEmit", source], check=False)
print(f"{len(answers)} answers were checked", file=sys.stderr)
sys.exit(done.returncode)
