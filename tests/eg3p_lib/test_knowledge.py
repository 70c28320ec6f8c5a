"""Reading triples: the formats, where each triple came from, and which files a name stands for."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from eg3p_lib.knowledge import KnowledgeBase, KnowledgeError, read_knowledge, resolve_sources, starter_knowledge
from eg3p_lib.relations import RELATIONS

MakeFile = Callable[..., Path]


def assertion(relation: str, head: str, tail: str, weight: float = 1.0) -> str:
    """A line in the layout of conceptnet-assertions."""
    info = json.dumps({"dataset": "/d/test", "surfaceText": '*a "quoted", text', "weight": weight})
    return f"/a/[{relation}/,{head}/,{tail}/]\t{relation}\t{head}\t{tail}\t{info}\n"


def edges(kb: KnowledgeBase) -> list[tuple[str, str, str]]:
    return [kb.edge(number) for number in range(len(kb))]


def assert_adds_up(kb: KnowledgeBase, lines: int) -> None:
    assert kb.lines == lines == len(kb) + sum(kb.skipped.values())


def test_tab_separated_lists_with_weights_and_labels(make_file: MakeFile) -> None:
    text = (
        "IsA\tDog\tguard_animal\t1\n"
        "HasA\tdog\ttail \t0.5\n"
        "MotivatedByGoal\trun\tfitness\n"
        "IsA\tdog\tguard  animal\t2\n"
        "IsA\tdog\tplant\t0\n"
        "IsA\tdog\tfish\t-1.5\n"
        "UsedFor\tdog\thunting\t0.25\n"
        "PainIntensity\tdog\thigh\t1\n"
        "IsA\tdog\t_\t1\n"
        "IsA\ta : b\tc\t1\n"
        "\n"
        "IsA\tdog\tpet\t1"
    )
    kb = read_knowledge([make_file(text)], min_weight=0.5)
    assert edges(kb) == [
        ("tail", "partof", "dog"),
        ("dog", "isa", "guard animal"),
        ("dog", "isa", "pet"),
        ("fitness", "causes", "run"),
    ]
    assert kb.skipped == {
        "blank": 1,
        "duplicate": 1,
        "empty_term": 1,
        "low_weight": 1,
        "negative": 2,
        "separator": 1,
        "unmapped_relation": 1,
    }
    assert_adds_up(kb, 12)


def test_triples_are_sorted_by_tail_relation_head_whatever_the_order_of_lines(make_file: MakeFile) -> None:
    lines = ["IsA\tdog\tpet\n", "IsA\tcat\tpet\n", "Antonym\tdog\tcat\n", "Desires\tzebra\tgrass\n"]
    one = read_knowledge([make_file("".join(lines), "one.tsv")])
    two = read_knowledge([make_file("".join(reversed(lines)), "two.tsv")])
    expected = [("dog", "antonym", "cat"), ("zebra", "desires", "grass"), ("cat", "isa", "pet"), ("dog", "isa", "pet")]
    assert edges(one) == edges(two) == expected


def test_cskg_rows_are_read_by_their_header(make_file: MakeFile) -> None:
    text = (
        "node1\tlabel\tnode2\tdatasource\tweight\n"
        "rg:water+/c/en/water+at:water\t/r/AtLocation\t/c/en/bath+vg:bath\tCN\t2.0\n"
        "/c/en/c++/n\t/r/IsA\twn:x.n.01+/c/en/language/n\tCN\t1.0\n"
        "/c/en/jills/v\tmw:PartOfSpeech\tmw:Verb\tCN\t1.0\n"
        "/c/en/jill\tmw:IsPOSFormOf\t/c/en/jills\tCN\t1.0\n"
    )
    kb = read_knowledge([make_file(text)])
    assert sorted(edges(kb)) == [("c++", "isa", "language"), ("water", "atlocation", "bath")]
    assert kb.skipped == {"not_conceptnet": 1, "unmapped_relation": 1}
    assert_adds_up(kb, 4)


def test_lines_of_head_relation_tail(make_file: MakeFile) -> None:
    kb = read_knowledge([make_file("hi /r/Antonym bye\nhi /r/RelatedTo high\n")])
    assert edges(kb) == [("hi", "antonym", "bye")]
    assert kb.skipped == {"unmapped_relation": 1}


def test_a_triple_says_its_dataset(make_file: MakeFile) -> None:
    kb = read_knowledge([make_file(assertion("/r/IsA", "/c/en/dog", "/c/en/pet"))])
    assert kb.triple(0).dataset == "/d/test"
    text = "node1\tlabel\tnode2\tdatasource\n/c/en/a\t/r/IsA\t/c/en/b\tVG,CN\n"
    assert read_knowledge([make_file(text)]).triple(0).dataset == "VG,CN"
    assert read_knowledge([make_file("IsA\tdog\tpet\n")]).triple(0).dataset == ""


def test_sources_are_named_with_each_triple(make_file: MakeFile) -> None:
    one, two = make_file("IsA\tdog\tpet\n", "one.tsv"), make_file("IsA\tdog\tpet\nIsA\tcat\tpet\n", "two.tsv")
    kb = read_knowledge([one, two])
    folder = one.parent.name
    assert [(t.head, t.source) for t in kb.triples()] == [("cat", f"{folder}/two.tsv"), ("dog", f"{folder}/one.tsv")]
    assert (kb.counts[f"{folder}/two.tsv"].lines, kb.counts[f"{folder}/two.tsv"].kept) == (2, 1)


class TestResolveSources:
    def test_glob_patterns_are_sorted_and_files_come_once(self, tmp_path: Path) -> None:
        for name in ("b.tsv", "a.tsv", "c.csv"):
            (tmp_path / name).write_text("IsA\tdog\tpet\n")
        found = resolve_sources([str(tmp_path / "*.tsv"), str(tmp_path / "a.tsv"), "starter"])
        assert [path.name for path in found] == ["a.tsv", "b.tsv", "starter_knowledge.tsv"]

    def test_names_are_looked_up_under_the_data_folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "words").mkdir()
        (tmp_path / "words" / "one.tsv").write_text("IsA\tdog\tpet\n")
        monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path))
        assert resolve_sources(["words/*.tsv"]) == [(tmp_path / "words" / "one.tsv").resolve()]
        with pytest.raises(KnowledgeError, match="'words' is a folder"):
            resolve_sources(["words"])

    def test_what_stands_for_no_file_is_an_error(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.delenv("WORKBENCH_DATA", raising=False)
        with pytest.raises(KnowledgeError, match=r"'none\*\.tsv': no such file here, and WORKBENCH_DATA is not set"):
            resolve_sources(["none*.tsv"])
        with pytest.raises(KnowledgeError, match="no knowledge source is named"):
            resolve_sources([])


class TestStarter:
    def test_it_is_kept_whole_and_holds_all_relations(self) -> None:
        kb = starter_knowledge()
        assert kb.skipped == {}
        assert len(kb) >= 1500
        counts = kb.relation_counts()
        assert list(counts) == list(RELATIONS)
        assert min(counts.values()) >= 20


@pytest.mark.realdata
class TestRealFiles:
    @pytest.fixture(scope="class")
    def files(self, data_root: Path) -> list[Path]:
        return sorted(path for path in (data_root / "conceptnet").rglob("*") if path.is_file())

    def test_every_file_loads_and_every_line_is_accounted_for(self, files: list[Path]) -> None:
        kb = read_knowledge(files)
        assert kb.lines == 383055
        assert len(kb) + sum(kb.skipped.values()) == 383055
        for path in files:
            content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
            lines = content.count(b"\n") + (not content.endswith(b"\n")) - (path.parent.name == "cskg")
            counts = kb.counts[f"{path.parent.name}/{path.name}"]
            assert counts.lines == lines
            assert counts.kept + sum(counts.skipped.values()) == lines
        assert kb.skipped["external_url"] == 967
        assert "malformed" not in kb.skipped
        assert len(kb) == 271178
        assert min(kb.relation_counts().values()) >= 300

    def test_triples_say_their_file_dataset_and_senses(self, files: list[Path]) -> None:
        kb = read_knowledge([path for path in files if path.parent.name == "official_csv"])
        datasets = {triple.dataset for triple in kb.triples()}
        assert {"/d/wordnet/3.1", "/d/wiktionary/en", "/d/conceptnet/4/en", "/d/verbosity"} <= datasets
        assert "" not in datasets
        assert {triple.source for triple in kb.triples()} == {name for name, c in kb.counts.items() if c.kept}
        assert {"", "n", "v", "n/wikt/en_1", "n/wp/assessment"} <= {triple.head_sense for triple in kb.triples()}

    def test_a_concept_with_an_apostrophe_and_url_in_the_data(self, data_root: Path) -> None:
        kb = read_knowledge([data_root / "conceptnet/official_csv/conceptnet5_testdata_assertions.csv"])
        assert not [name for name in kb.concepts.to_pylist() if name.startswith("http") or "/" in name]
