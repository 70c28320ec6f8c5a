from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from reastap_lib.audit import audit, stats
from reastap_lib.examples import TableExample
from reastap_lib.params import TableSynthesisParams
from reastap_lib.serialisation import parse
from reastap_lib.skills import TABLE_1
from reastap_lib.synthesis import SCHEMA, SynthesisError, TableGenerator, build_table_corpus
from reastap_lib.tables import Table
from workbench_lib.corpus import Corpus, CorpusError

PARAMS: dict[str, Any] = {
    "tables": ["builtin"],
    "held_out": [],
    "examples": 600,
    "seed": 3,
    "skills": list(TABLE_1),
    "questions_a_table": 18,
    "min_rows": 8,
    "max_rows": 30,
    "min_columns": 3,
    "max_source_words": 350,
    "workers": 1,
}


def params(**changes: Any) -> TableSynthesisParams:
    return TableSynthesisParams.make({**PARAMS, **changes})


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return build_table_corpus(params(), tmp_path_factory.mktemp("tables") / "corpus")


@pytest.fixture(scope="module")
def rows(corpus: Corpus) -> list[dict[str, Any]]:
    return corpus.head(len(corpus)).to_pylist()


def test_rows_have_the_schema_and_count_up(corpus: Corpus, rows: list[dict[str, Any]]) -> None:
    assert corpus.head(1).schema.names == SCHEMA.names
    assert [row["example"] for row in rows] == list(range(600))


def test_an_audit_from_the_text_alone_finds_nothing(corpus: Corpus) -> None:
    report = audit(corpus)
    assert (report["n"], report["faults"], report["first"]) == (600, 0, [])


def test_skills_come_in_their_shares(corpus: Corpus) -> None:
    found = stats(corpus)["skills"]
    assert set(found) == set(TABLE_1)
    assert all(abs(part["share"] - part["paper"]) < 0.01 for part in found.values())


def test_no_answer_can_be_guessed_from_the_skill(rows: list[dict[str, Any]]) -> None:
    for name in TABLE_1:
        answers = Counter(row["target"] for row in rows if row["skill"] == name)
        most = max(answers.values()) / answers.total()
        assert most < (0.55 if name == "quantifiers" else 0.15), (name, answers.most_common(3))


def test_no_example_comes_twice(rows: list[dict[str, Any]]) -> None:
    assert len({(row["source"], row["target"]) for row in rows}) == len(rows)
    assert len({row["source"] for row in rows}) == len(rows)


def test_S08_splits_go_by_table(rows: list[dict[str, Any]]) -> None:
    tables = {split: {row["table"] for row in rows if row["split"] == split} for split in ("train", "validation")}
    assert tables["train"]
    assert tables["validation"]
    assert not tables["train"] & tables["validation"]


def test_sources_are_within_their_length_and_hold_the_answers_of_look_ups(rows: list[dict[str, Any]]) -> None:
    assert max(len(row["source"].split()) for row in rows) <= 350
    for row in rows:
        if row["skill"] in ("conjunction", "temporal_comparison", "numerical_comparison"):
            _, _, cells = parse(row["source"])
            assert set(row["answers"]) <= {cell for line in cells for cell in line}


def test_rows_are_shuffled(rows: list[dict[str, Any]]) -> None:
    """No place of the table is the answer's more often than others, as an order by date or size would make it."""
    places = Counter()
    for row in rows:
        if row["skill"].endswith("comparison") and len(row["answers"]) == 1:
            cells = parse(row["source"])[2]
            found = [i for i, line in enumerate(cells) if row["answers"][0] in line]
            places[2 * found[0] // len(cells)] += len(found) == 1
    assert 0.35 < places[0] / places.total() < 0.65


def test_S08_a_table_alone_has_no_validation_split(tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_text(
        "Film,Year,Gross,Country\n" + "".join(f"f{i},{1990 + i},{i * 7 % 10},c{i % 2}\n" for i in range(12))
    )
    corpus = build_table_corpus(params(tables=[str(source)], examples=100), tmp_path / "out")
    assert {row["split"] for row in corpus.head(100).to_pylist()} == {"train"}


def test_rejections_are_counted_by_skill_and_reason(corpus: Corpus) -> None:
    rejected = corpus.manifest.rejected
    assert rejected["numerical_comparison: a tie at or above the place asked for"] > 0
    assert all(name.split(": ")[0] in TABLE_1 for name in rejected)


def test_the_first_examples_of_a_larger_corpus_are_the_smaller_corpus(
    tmp_path: Path, rows: list[dict[str, Any]]
) -> None:
    small = build_table_corpus(params(examples=40), tmp_path / "small")
    assert small.head(40).to_pylist() == rows[:40]


def test_shards_may_begin_within_a_block(tmp_path: Path, corpus: Corpus, rows: list[dict[str, Any]]) -> None:
    pieces = build_table_corpus(params(), tmp_path / "pieces", units_a_shard=97)
    assert len(pieces.paths) == 7
    assert pieces.head(600).to_pylist() == rows
    assert pieces.manifest.rejected == corpus.manifest.rejected


@pytest.mark.slow
def test_bytes_do_not_depend_on_workers_or_the_hash_seed(tmp_path: Path) -> None:
    digests = []
    for workers, hash_seed in ((1, "0"), (2, "1")):
        folder, script = tmp_path / f"corpus{workers}", tmp_path / f"build{workers}.py"
        script.write_text(
            "from pathlib import Path\n"
            "from reastap_lib.params import TableSynthesisParams\n"
            "from reastap_lib.synthesis import build_table_corpus\n"
            "if __name__ == '__main__':\n"
            f"    params = TableSynthesisParams.make({ {**PARAMS, 'examples': 1300}!r})\n"
            f"    build_table_corpus(params, Path({str(folder)!r}), {workers}, units_a_shard=512)\n"
        )
        env = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(Path(__file__).parents[2])}
        subprocess.run([sys.executable, str(script)], check=True, env=env, capture_output=True)
        digests.append(Corpus(folder).digest)
    assert digests[0] == digests[1]
    assert len(Corpus(tmp_path / "corpus2").paths) == 3


def test_the_bytes_of_a_small_corpus_are_these(tmp_path: Path) -> None:
    """On every machine; where rows are meant to change, SYNTHESIS_VERSION must, and this digest of sources with it."""
    corpus = build_table_corpus(params(examples=100, seed=0), tmp_path / "corpus")
    text = "\n".join(f"{row['source']}\t{row['target']}" for row in corpus.head(100).to_pylist())
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "3d666f154b771d64"


def test_another_seed_gives_other_examples(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    other = build_table_corpus(params(seed=4, examples=40), tmp_path / "other").head(40).to_pylist()
    assert sum(a["source"] == b["source"] for a, b in zip(other, rows, strict=False)) == 0


def test_skills_may_be_left_out(tmp_path: Path) -> None:
    corpus = build_table_corpus(params(skills=["counting", "quantifiers"], examples=60), tmp_path / "two")
    assert set(Counter(row["skill"] for row in corpus.head(60).to_pylist())) == {"counting", "quantifiers"}


def test_a_skill_without_tables_is_an_error_before_anything_is_written(tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_text("Name,Goals,Club\n" + "".join(f"n{i},{i * 3},c{i % 2}\n" for i in range(9)))
    out = tmp_path / "out"
    with pytest.raises(SynthesisError, match="'temporal_comparison' ran short: none of the 1 tables"):
        build_table_corpus(params(tables=[str(source)]), out)
    assert not out.exists()


def test_shares_may_be_given(tmp_path: Path) -> None:
    corpus = build_table_corpus(params(skills={"counting": 3, "quantifiers": 1}, examples=80), tmp_path / "two")
    found = Counter(row["skill"] for row in corpus.head(80).to_pylist())
    assert found == {"counting": pytest.approx(60, abs=2), "quantifiers": pytest.approx(20, abs=2)}


def test_a_skill_that_finds_no_question_is_an_error(tmp_path: Path) -> None:
    source = tmp_path / "a.csv"
    source.write_text("Name,Goals,Club\n" + "".join(f"n{i},{i // 9},c\n" for i in range(10)))
    with pytest.raises(SynthesisError, match="'conjunction' ran short"):
        build_table_corpus(params(tables=[str(source)], skills=["conjunction"], examples=5), tmp_path / "out")


def test_a_corpus_of_other_settings_is_refused(corpus: Corpus) -> None:
    with pytest.raises(CorpusError, match="other settings"):
        build_table_corpus(params(seed=99), corpus.folder)


def test_the_generator_can_be_sent_to_workers() -> None:
    generator = params().generator()
    assert pickle.loads(pickle.dumps(generator)) == generator
    assert isinstance(generator, TableGenerator)


def test_settings_hold_what_the_sources_hold_not_where_they_lie(corpus: Corpus) -> None:
    settings = corpus.manifest.settings
    assert [len(digest) for digest in settings["tables_sha256"]] == [64]
    assert not {"tables", "held_out"} & settings.keys()
    assert settings["skills"]["counting"] == pytest.approx(0.18)
    assert corpus.manifest.notes["tables_used"] > 400
    assert settings["own_skills"] == {}


def test_an_example_shows_its_evidence(rows: list[dict[str, Any]]) -> None:
    for row in rows[:30]:
        example = TableExample.from_row(row)
        page = example._repr_html_()
        assert page.count("background-color") == len(example.evidence) == len(row["evidence"]) // 2
        if row["skill"] in ("conjunction", "temporal_comparison", "numerical_comparison"):
            shown = {example.table.table.rows[i][j] for i, j in example.evidence}
            assert set(example.answers) <= shown


def test_an_example_escapes_its_texts() -> None:
    source = "<i>? [HEAD] a<b | c [ROW] <script> | 1"
    row = {"skill": "counting", "source": source, "table": "t", "title": "<b>", "answers": ["<u>"], "sql": "1 < 2"}
    page = TableExample.from_row({**row, "evidence": [0, 0]})._repr_html_()
    assert not any(tag in page for tag in ("<i>?", "<script>", "<u>", "a<b"))
    assert Table("t", "<b>", ("a",), (("1",),))._repr_html_().count("<b>") == 0
