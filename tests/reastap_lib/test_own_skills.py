"""The page docs/add_a_skill.md, run as it stands, in one process and in several."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from reastap_lib.audit import audit
from reastap_lib.params import TableSynthesisParams
from reastap_lib.skills import skill_names
from reastap_lib.skills.registry import forget
from reastap_lib.synthesis import SynthesisError, build_table_corpus
from workbench_lib.corpus import Corpus, CorpusError

PAGE = Path(__file__).parents[2] / "docs" / "add_a_skill.md"
NAMES = ("word_count", "lead")
BUILD = """
import my_skills
from pathlib import Path
from reastap_lib.params import TableSynthesisParams
from reastap_lib.synthesis import build_table_corpus

if __name__ == "__main__":
    params = TableSynthesisParams.make({values!r})
    build_table_corpus(params, Path({folder!r}), {workers}, units_a_shard=512)
"""


def values(**changes: object) -> dict[str, object]:
    return {
        "tables": ["builtin"],
        "held_out": [],
        "examples": 1030,
        "seed": 1,
        "skills": {"word_count": 2, "lead": 1, "counting": 1},
        "questions_a_table": 18,
        "min_rows": 8,
        "max_rows": 30,
        "min_columns": 3,
        "max_source_words": 350,
        "workers": 1,
        **changes,
    }


def write_module(folder: Path, text: str = "") -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    assert len(blocks) == 3
    (folder / "my_skills.py").write_text("\n".join([*blocks, text]))


@pytest.fixture
def my_skills(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    write_module(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    import my_skills as module  # type: ignore[import-not-found]

    yield module
    del sys.modules["my_skills"]
    for name in set(NAMES) & set(skill_names()):
        forget(name)


def test_the_page_says_ten_lines() -> None:
    first = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)[0]
    assert len([line for line in first.splitlines() if line]) == 9


def test_a_corpus_of_ones_own_skills_passes_the_audit(my_skills: ModuleType, tmp_path: Path) -> None:
    corpus = build_table_corpus(TableSynthesisParams.make(values(examples=200)), tmp_path / "out")
    report = audit(corpus)
    assert (report["n"], report["faults"]) == (200, 0)
    assert report["unchecked"] == report["n"] - report["skills"]["counting"]["n"]  # by SQL alone
    assert {name: part["n"] for name, part in report["skills"].items()} == {
        "word_count": pytest.approx(100, abs=2),
        "lead": pytest.approx(50, abs=2),
        "counting": pytest.approx(50, abs=2),
    }
    assert set(corpus.manifest.settings["own_skills"]) == set(NAMES)


def test_a_changed_skill_is_another_corpus(my_skills: ModuleType, tmp_path: Path) -> None:
    params = TableSynthesisParams.make(values(examples=20))
    build_table_corpus(params, tmp_path / "out")
    write_module(tmp_path, "import reastap_lib\n")
    path = tmp_path / "my_skills.py"
    path.write_text(path.read_text().replace("How many cells of", "In how many cells of"))
    forget("word_count")
    del sys.modules["my_skills"]
    import my_skills as changed  # noqa: F401

    with pytest.raises(CorpusError, match="other settings"):
        build_table_corpus(params, tmp_path / "out")


def test_a_skill_of_this_session_needs_one_worker(
    my_skills: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(my_skills.lead, "__module__", "__main__")
    monkeypatch.delattr(sys.modules["__main__"], "__file__", raising=False)
    params = TableSynthesisParams.make(values(examples=20))
    with pytest.raises(SynthesisError, match=r"'lead' is defined in this session.*use workers=1, or put it into"):
        build_table_corpus(params, tmp_path / "out", workers=2)
    assert not (tmp_path / "out").exists()
    assert len(build_table_corpus(params, tmp_path / "out", workers=1)) == 20


@pytest.mark.slow
def test_workers_import_the_module_of_a_skill(tmp_path: Path) -> None:
    write_module(tmp_path)
    digests = []
    for workers in (1, 2):
        folder, script = tmp_path / f"corpus{workers}", tmp_path / f"build{workers}.py"
        script.write_text(BUILD.format(values=values(), folder=str(folder), workers=workers))
        env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(PAGE.parents[1])])}
        subprocess.run([sys.executable, str(script)], check=True, env=env, capture_output=True, cwd=tmp_path)
        digests.append(Corpus(folder).digest)
    assert digests[0] == digests[1]
