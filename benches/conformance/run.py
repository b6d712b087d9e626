"""Check the readers of `rivals.py`, and write the record and the table of docs/conformance.md.

`python -m benches.conformance.run [NAME …]` needs what `make conformance` installs. Verdicts of readers that
are not named are taken from the newest record.
"""

from __future__ import annotations

import datetime as dt
import json
import subprocess
import sys
from typing import Any

from benches.conformance import page
from benches.conformance.rivals import PACKAGES, ROOT, CheckedReader, chosen

_TIMEOUT_S = 1_800


def verdicts(reader: CheckedReader) -> dict[str, Any]:
    """Check one reader and return what its record holds."""
    words = [sys.executable, "-m", "anyread_conformance", *reader.words, "--json"]
    run = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
    if run.returncode not in {0, 1}:
        raise SystemExit(f"{reader.name}: {run.stderr}")
    report = json.loads(run.stdout)
    return {
        "name": reader.name,
        "version": reader.version,
        "date": dt.datetime.now(dt.UTC).date().isoformat(),
        "counts": report["counts"],
        "findings": {
            found["rule"]: {"verdict": found["verdict"], "why": found["why"]} for found in report["findings"]
        },
    }


def main() -> None:
    """Check the named readers, or all."""
    (PACKAGES / "home").mkdir(parents=True, exist_ok=True)
    records = {record["name"]: record for record in page.newest_record()}
    for reader in chosen(" ".join(sys.argv[1:])):
        records[reader.name] = verdicts(reader)
        print(reader.name, records[reader.name]["counts"], flush=True)
    page.write_record(list(records.values()))
    page.write()


if __name__ == "__main__":
    main()
