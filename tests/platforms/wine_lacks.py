"""Show what Wine lacks, without anyread: each reason of `windows.py` that says "Wine".

On Windows, this prints "link: True" and "trio: runs".
"""

import os
import tempfile

import trio

with tempfile.TemporaryDirectory() as directory:
    os.symlink("target", os.path.join(directory, "link"))  # noqa: PTH118, PTH211 - the plain calls
    print("link:", os.listdir(directory) == ["link"])  # noqa: PTH208
try:
    trio.run(trio.sleep, 0)
    print("trio: runs")
except OSError as error:
    print("trio:", error)
