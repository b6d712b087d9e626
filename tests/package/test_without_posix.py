"""What anyread does on a system that has no POSIX calls: text and notebooks, but no decoders."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import asyncio, os, select, shutil, signal, socket, sys

# What Windows does not have, after modules that ask for the system have been loaded for the real one.
for module in ("fcntl", "resource", "termios"):
    sys.modules[module] = None
for name in ("posix_spawn", "pread", "pidfd_open", "fork"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGKILL", "SIGALRM", "SIGXCPU", "SIGBUS", "SIGTRAP", "SIGSTOP", "pidfd_send_signal"):
    if hasattr(signal, name):
        delattr(signal, name)
del select.poll
# Since Python 3.14, the first event loop chooses the kind of loop by the system.
asyncio.run(asyncio.sleep(0))
sys.platform = "win32"

import anyread
from anyread.decoding.host import starters

# Those of Windows need modules that only Windows has.
starters.is_supported = lambda: False
text, notebook, image, pdf = sys.argv[1:]
print(anyread.read_sync(text).text.splitlines()[0])
print([page.text for page in anyread.read_many_sync([text, text])][0].splitlines()[0])
print(asyncio.run(anyread.read(notebook)).text)
for path in (image, pdf):
    for read in (anyread.read_sync, lambda path: asyncio.run(anyread.read(path))):
        try:
            read(path)
        except anyread.DecoderUnavailableError as error:
            print(error)
            assert not error.supported
from anyread.cli import main
sys.argv = ["anyread", "read", text]
# The command line writes to the descriptor itself.
sys.stdout.flush()
main()
"""


@pytest.mark.posix("calls that can be removed")
def test_text_and_notebooks_are_read_and_decoders_refused(tmp_path: Path) -> None:
    text, notebook = tmp_path / "a.txt", tmp_path / "a.ipynb"
    image, pdf = tmp_path / "a.png", tmp_path / "a.pdf"
    text.write_text("first line\nsecond line\n")
    notebook.write_text(
        '{"cells": [{"cell_type": "markdown", "metadata": {}, "source": ["# Title"]}],'
        ' "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
    )
    image.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    pdf.write_bytes(b"%PDF-1.7\n%%EOF\n")
    command = [sys.executable, "-c", PROGRAM, *map(str, (text, notebook, image, pdf))]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
    assert lines[0] == lines[1] == "1\tfirst line"
    assert "Title" in ran.stdout
    refusals = [line for line in lines if line.startswith("cannot start a decoder")]
    assert len(refusals) == 4
    assert all(line.endswith("this system cannot pass an open file to another process") for line in refusals)
    assert ran.stdout.count("hint: read a text instead") == 4
