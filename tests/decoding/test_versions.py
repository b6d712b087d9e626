"""A library that is older than the decoders need is named in the error, with what to install."""

import tomllib
from pathlib import Path

import PIL
import pytest

from anyread.decoding.child import preload

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("version", ["12.2.0", "9.5.0", "11.3.0.dev0"])
def test_old_pillow_is_named(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PIL, "__version__", version)
    with pytest.raises(preload.OutdatedError) as raised:
        preload.require_versions()
    assert str(raised.value) == f"pillow {version} is installed, but 12.3 or newer is needed"
    assert raised.value.requirement == "pillow>=12.3"


def test_oldest_versions_are_those_of_the_package() -> None:
    required = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["dependencies"]
    oldest = [f"{name}>={'.'.join(map(str, version))}" for name, version in preload.OLDEST.items()]
    assert [line for line in required if not line.startswith("anyio")] == oldest
