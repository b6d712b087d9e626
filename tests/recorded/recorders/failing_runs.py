"""Run the tests of the projects in `failing_projects.py`, and record what they print.

    python tests/recorded/recorders/failing_runs.py

It needs pytest; paths of the interpreter become `/usr`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from helpers.failing_projects import RUNS, lay_out, project

ENVIRONMENT = {
    **os.environ,
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHON_COLORS": "0",
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
}

with RUNS.open("w", encoding="utf-8") as file:
    for number in range(50):
        made = project(number)
        with tempfile.TemporaryDirectory() as directory:
            root = Path(directory).resolve()
            lay_out(root, made.files)
            command = [sys.executable, "-m", *made.command.split()]
            done = subprocess.run(
                command,
                cwd=root,
                env=ENVIRONMENT,
                capture_output=True,
                text=True,
                encoding="utf-8",
                check=False,
            )
            text = (done.stdout + done.stderr).replace(str(root), "/project")
        for prefix in {sys.prefix, sys.base_prefix}:
            text = text.replace(prefix, "/usr")
        file.write(json.dumps(text, ensure_ascii=False) + "\n")
