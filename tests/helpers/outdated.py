"""Check that a library which is too old is named in the error: run by `make dependencies`."""

from __future__ import annotations

import base64
import sys
import tempfile
from pathlib import Path

import anyread

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
)


def main() -> None:
    """Read an image, which must fail with the right reason."""
    with tempfile.TemporaryDirectory() as name:
        image = Path(name, "a.png")
        image.write_bytes(PIXEL)
        try:
            anyread.read_sync(image)
        except anyread.DecoderUnavailableError as error:
            print(error)
            if error.install == "pillow>=12.3" and "pip install 'pillow>=12.3'" in str(error):
                return
    sys.exit("an outdated Pillow was not reported as such")


if __name__ == "__main__":
    main()
