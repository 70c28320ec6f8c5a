"""Reading triples: the formats, the reasons for leaving lines out, and the errors."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from eg3p_lib.knowledge import KnowledgeBase, KnowledgeError, read_knowledge, resolve_sources, starter_knowledge
from eg3p_lib.relations import RELATIONS
from workbench_lib.errors import InputError

MakeFile = Callable[..., Path]


def assertion(relation: str, head: str, tail: str, weight: float = 1.0) -> str:
    """A line in the layout of conceptnet-assertions."""
    info = json.dumps({"dataset": "/d/test", "surfaceText": '*a "quoted", text', "weight": weight})
    return f"/a/[{relation}/,{head}/,{tail}/]\t{relation}\t{head}\t{tail}\t{info}\n"


def edges(kb: KnowledgeBase) -> list[tuple[str, str, str]]:
    return [kb.edge(number) for number in range(len(kb))]


def assert_adds_up(kb: KnowledgeBase, lines: int) -> None:
    assert kb.lines == lines == len(kb) + sum(kb.skipped.values())


def test_k01_sense_and_part_of_speech_are_beside_the_text(make_file: MakeFile) -> None:
    line = assertion("/r/IsA", "/c/en/guide_dog/n/wn/animal", "/c/en/pet/n", 2.0)
    (triple,) = read_knowledge([make_file(line)]).triples()
    assert triple[:4] == ("guide dog", "isa", "pet", 2.0)
    assert (triple.head_sense, triple.tail_sense) == ("n/wn/animal", "n")


def test_k01_a_concept_with_and_without_sense_is_one_node(make_file: MakeFile) -> None:
    lines = [
        assertion("/r/IsA", "/c/en/guide_dog/n/wn/animal", "/c/en/pet"),
        assertion("/r/IsA", "/c/en/guide_dog", "/c/en/pet/n", 3.0),
        assertion("/r/CapableOf", "/c/en/guide_dog", "/c/en/lead"),
    ]
    kb = read_knowledge([make_file("".join(lines))])
    assert kb.concepts.to_pylist() == ["guide dog", "lead", "pet"]
    assert kb.skipped == {"duplicate": 1}
    assert next(t for t in kb.triples() if t.relation == "isa")[3:7:2] == (3.0, "n/wn/animal")


def test_k02_an_external_url_is_counted_and_makes_no_node(make_file: MakeFile) -> None:
    url = "http://en.wiktionary.org/wiki/dog"
    lines = [assertion("/r/ExternalURL", "/c/en/dog", url), assertion("/r/IsA", "/c/en/cat", "/c/en/pet")]
    kb = read_knowledge([make_file("".join(lines))])
    assert kb.concepts.to_pylist() == ["cat", "pet"]
    assert kb.skipped == {"external_url": 1}


def test_k02_nothing_but_external_urls_is_an_error_with_the_counts(make_file: MakeFile) -> None:
    with pytest.raises(KnowledgeError, match=r"no triple .* was kept \(external_url 1\)"):
        read_knowledge([make_file(assertion("/r/ExternalURL", "/c/en/dog", "http://en.wiktionary.org/wiki/dog/"))])


def test_k03_self_loops_are_found_after_the_senses_are_gone(make_file: MakeFile) -> None:
    text = (
        "/r/RelatedTo\t/c/en/u.s.a.\t/c/en/u.s.a.\n"
        "/r/DerivedFrom\t/c/en/run/v\t/c/en/run/n\n"
        "/r/IsA\t/c/en/u.s.a.\t/c/en/country\n"
    )
    kb = read_knowledge([make_file(text)])
    assert edges(kb) == [("u.s.a.", "isa", "country")]
    assert kb.skipped == {"self_loop": 2}
    assert_adds_up(kb, 3)


def test_k05_both_ends_must_be_in_the_language(make_file: MakeFile) -> None:
    lines = [
        assertion("/r/Antonym", "/c/en/fur", "/c/en/skin"),
        assertion("/r/Antonym", "/c/en/fur", "/c/fr/peau"),
        assertion("/r/IsA", "/c/ja/犬", "/c/ja/動物"),
        assertion("/r/IsA", "/c/enm/hund", "/c/enm/dere"),
    ]
    path = make_file("".join(lines))
    assert edges(read_knowledge([path])) == [("fur", "antonym", "skin")]
    assert read_knowledge([path]).skipped == {"other_language": 3}
    assert edges(read_knowledge([path], language="ja")) == [("犬", "isa", "動物")]


def test_k05_an_unknown_filter_raises(make_file: MakeFile) -> None:
    path = make_file("IsA\tdog\tpet\n")
    with pytest.raises(TypeError):
        read_knowledge([path], lang="en")  # type: ignore[call-arg]
    with pytest.raises(KnowledgeError, match="language='English'"):
        read_knowledge([path], language="English")


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


def test_gzip_and_plain_give_the_same(tmp_path: Path, make_file: MakeFile) -> None:
    text = assertion("/r/IsA", "/c/en/dog", "/c/en/pet") + assertion("/r/IsA", "/c/en/cat", "/c/en/pet")
    packed = tmp_path / "kb.csv.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert edges(read_knowledge([packed])) == edges(read_knowledge([make_file(text)]))


def test_a_truncated_gzip_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "kb.csv.gz"
    path.write_bytes(gzip.compress(assertion("/r/IsA", "/c/en/dog", "/c/en/pet").encode() * 50)[:-20])
    with pytest.raises(InputError, match=r"kb\.csv\.gz: cannot be unpacked"):
        read_knowledge([path])


def test_only_newlines_end_a_line(make_file: MakeFile) -> None:
    kb = read_knowledge([make_file("IsA\tdog\u2028house\tpet\u0085thing\r\nIsA\tcat\tpet\r\n")])
    assert sorted(edges(kb)) == [("cat", "isa", "pet"), ("dog house", "isa", "pet thing")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("IsA\tdog\tpet\nIsA\tdog\n", "line 2: needs 3 or 4 tab-separated columns .* found 2: 'IsA\\\\tdog'"),
        ("IsA\tdog\n", "line 1: is in no known format of triples .* found 2 tab-separated columns"),
        ("IsA\tdog\tpet\tmany\n", "line 1: the weight 'many' is not a number"),
        ("IsA\tdog\tpet\tnan\n", "line 1: the weight 'nan' is not a number"),
        (assertion("/r/IsA", "/c/en/a", "/c/en/b") + "/a/[x]\t/r/IsA\t/c/en/a\n", "line 2: needs the 5 .* found 3"),
        ("/a/[x]\t/r/IsA\t/c/en/a\t/c/en/b\t{broken\n", "line 1: the last column is not a JSON object"),
        ("node1\tnode2\n/c/en/a\t/c/en/b\n", "line 1: the header needs a column 'label' or 'relation'"),
        ("node1\tlabel\tnode2\n/c/en/a\t/r/IsA\n", "line 2: needs the header's 3 columns, found 2"),
        ("hi /r/IsA bye\nhi bye\n", "line 2: needs `head /r/Relation tail`: 'hi bye'"),
        ("", "kb.tsv: the file is empty"),
    ],
)
def test_a_malformed_line_stops_with_file_line_and_value(make_file: MakeFile, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_knowledge([make_file(text)])


def test_bytes_that_are_no_utf8_are_named_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "kb.tsv"
    path.write_bytes(b"IsA\tdog\tpet\nIsA\tcaf\xe9\tplace\n")
    with pytest.raises(InputError, match=r"kb\.tsv, line 2: is not UTF-8"):
        read_knowledge([path])


def test_a_missing_file_and_a_folder_are_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_knowledge([tmp_path / "none.tsv"])
    with pytest.raises(InputError, match="is a folder"):
        read_knowledge([tmp_path])


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
        assert min(kb.relation_counts().values()) >= 300

    def test_a_concept_with_an_apostrophe_and_url_in_the_data(self, data_root: Path) -> None:
        kb = read_knowledge([data_root / "conceptnet/official_csv/conceptnet5_testdata_assertions.csv"])
        assert not [name for name in kb.concepts.to_pylist() if name.startswith("http") or "/" in name]
