"""Record the answers of a tool, or check that it still gives the recorded ones.

    python tests/recorded/recorders/record.py CONTRACT [--check] [--only TEXT] -- COMMAND…

COMMAND is a program next to this one. It prints a line with an object from each package that it runs to its
version. Then it gets one line of JSON for each row, with `directory`, `settings`, `model` and `calls`, and
prints a line with the list of answers. The rows of `recorded/CONTRACT.jsonl` say
which calls are made; their answers are replaced, or compared with `--check`.
`recorded/README.md` has the commands.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))
sys.path.insert(0, str(Path(__file__).parents[2]))

from website.tables import references

from helpers.recorded_calls import RECORDED, SETTLED_S, content, filled, lay_out, rows, sources

LONG_CHARS = 1_500
ENDS_CHARS = 200
LONE = re.compile("[\ud800-\udfff]")


def named(row: Any) -> list[str]:
    """Return the files of a row that are in `files.json`."""
    return [source for source in sources(row).values() if isinstance(source, str)]


def placed(value: Any, directory: str, row: Any) -> Any:
    """Return an answer with placeholders for the directory and for the bytes of files."""
    if isinstance(value, dict):
        found = {key: placed(item, directory, row) for key, item in value.items()}
        data, media_type = value.get("data"), str(value.get("mimeType"))
        originals = [base64.b64encode(content(source)).decode() for source in named(row)]
        if data and isinstance(data, str) and media_type.startswith("image/") and data not in originals:
            # The tool has encoded it.
            [found["data"]] = [{"$image": media_type, "of": source} for source in named(row)]
        return found
    if isinstance(value, list):
        return [placed(item, directory, row) for item in value]
    if not isinstance(value, str):
        return value
    text = LONE.sub("", value).replace(directory, "${DIR}")
    for source in named(row):
        encoded = base64.b64encode(content(source)).decode()
        if len(encoded) >= 16:
            text = text.replace(encoded, f"${{base64:{source}}}")
    if len(text) <= LONG_CHARS:
        return text
    return {"$long": {"begins": text[:ENDS_CHARS], "ends": text[-ENDS_CHARS:], **digested(text)}}


def digested(value: Any) -> Any:
    """Return an answer with the length and the digest of each text, also of one that was recorded so."""
    if isinstance(value, str):
        return {"length": len(value), "sha256": hashlib.sha256(value.encode()).hexdigest()}
    if isinstance(value, list):
        return [digested(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "$long" in value:
        return {name: value["$long"][name] for name in ("length", "sha256")}
    return {key: digested(item) for key, item in value.items()}


def recorded(row: Any, program: subprocess.Popen[str]) -> list[Any]:
    """Make the calls of a row, and return the answers."""
    assert program.stdin is not None
    assert program.stdout is not None
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name).resolve()
        lay_out(row, directory)
        time.sleep(SETTLED_S)
        calls = [filled(call["arguments"], directory) for call in row["calls"]]
        names = [call.get("name") for call in row["calls"]]
        request = {"directory": str(directory), "calls": calls, "names": names}
        request |= {key: row.get(key) for key in ("settings", "model")}
        print(json.dumps(request), file=program.stdin, flush=True)
        line = program.stdout.readline()
        if not line:
            raise SystemExit(f"the program ended at {row['id']}")
        answers = json.loads(line)
        assert len(answers) == len(calls), row["id"]
        return [placed(answer, str(directory), row) for answer in answers]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("contract")
    parser.add_argument("--check", action="store_true", help="only compare")
    parser.add_argument("--only", action="append", help="only rows whose id contains this text, or another")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    found, changed = rows(options.contract), 0
    with subprocess.Popen(
        options.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as program:
        assert program.stdout is not None
        versions = json.loads(program.stdout.readline())
        wanted = {name: references()[name] for name in versions}
        if versions != wanted:
            raise SystemExit(f"the versions are {versions}, but the contract follows {wanted}")
        for row in found:
            if options.only and not any(text in row["id"] for text in options.only):
                continue
            for call, answer in zip(row["calls"], recorded(row, program), strict=True):
                # Of some tools only what the model sees is known; of an image, it sees no text.
                is_seen = isinstance(answer, dict) and answer.keys() == {"seen"}
                name = "seen" if is_seen else "answer"
                if name == "seen" and "answer" in call and "seen" not in call:
                    continue
                new = answer[name] if name == "seen" else answer
                if digested(new) != digested(call.get(name, ...)):
                    changed += 1
                    print(f"{row['id']}: {json.dumps(call['arguments'], ensure_ascii=False)[:100]}")
                    call.setdefault("answer", {})
                    call[name] = new
        if program.stdin is not None:
            program.stdin.close()
    if not options.check:
        lines = [json.dumps(row, ensure_ascii=False) for row in found]
        (RECORDED / f"{options.contract}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    print(f"{changed} answers differ", file=sys.stderr)
    return changed > 0 if options.check else 0


if __name__ == "__main__":
    sys.exit(main())
