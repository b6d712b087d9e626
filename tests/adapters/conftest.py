"""Fixtures for the answers of every kind, by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters import answers


@pytest.fixture(scope="session")
def every_answer(tmp_path_factory: pytest.TempPathFactory) -> dict[str, answers.Answer]:
    every = answers.read_answers(tmp_path_factory.mktemp("answers"))
    assert tuple(every) == answers.NAMES
    return every


@pytest.fixture(params=answers.NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def answer(every_answer: dict[str, answers.Answer], name: str) -> answers.Answer:
    return every_answer[name]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    answers.write(tmp_path)
    return tmp_path
