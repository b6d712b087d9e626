"""Show what Wine lacks, without anyread: each reason of `windows.py` that says "Wine".

On Windows, this prints "link: True", "memory: limited" and "trio: runs".
"""

import ctypes
import os
import struct
import subprocess
import sys
import tempfile

import trio

assert sys.platform == "win32"

with tempfile.TemporaryDirectory() as directory:
    os.symlink("target", os.path.join(directory, "link"))  # noqa: PTH118, PTH211 - the plain calls
    print("link:", os.listdir(directory) == ["link"])  # noqa: PTH208
# A job whose only limit is that a process may have 100 MB.
limits = struct.pack("qqI4xQQI4xQI4x48xQQQQ", 0, 0, 0x100, 0, 0, 0, 0, 0, 100 << 20, 0, 0, 0)
job = ctypes.windll.kernel32.CreateJobObjectW(None, None)
assert ctypes.windll.kernel32.SetInformationJobObject(job, 9, limits, len(limits))
code = "input(); bytearray(300 << 20)"
with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as run:
    assert ctypes.windll.kernel32.AssignProcessToJobObject(job, int(run._handle))
    run.communicate(b"\n")
print("memory:", "limited" if run.returncode else "not limited")
try:
    trio.run(trio.sleep, 0)
    print("trio: runs")
except OSError as error:
    print("trio:", error)
