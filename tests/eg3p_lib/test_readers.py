"""Files as streams: unpacking, line ends, malformed lines, memory and the progress bar."""

from __future__ import annotations

import gzip
import json
import re
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from eg3p_lib import readers
from eg3p_lib.knowledge import KnowledgeBase, KnowledgeError, read_knowledge
from workbench_lib.errors import InputError

MakeFile = Callable[..., Path]


def assertion(relation: str, head: str, tail: str, weight: float = 1.0) -> str:
    """A line in the layout of conceptnet-assertions."""
    info = json.dumps({"dataset": "/d/test", "surfaceText": '*a "quoted", text', "weight": weight})
    return f"/a/[{relation}/,{head}/,{tail}/]\t{relation}\t{head}\t{tail}\t{info}\n"


def edges(kb: KnowledgeBase) -> list[tuple[str, str, str]]:
    return [kb.edge(number) for number in range(len(kb))]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("IsA\tdog\n", "line 1: is in no known format of triples .* found 2 tab-separated columns"),
        ("node1\tnode2\n/c/en/a\t/c/en/b\n", "line 1: the header needs a column 'label' or 'relation'"),
        ("", "kb.tsv: the file is empty"),
    ],
)
def test_a_file_in_no_known_format_is_an_error(make_file: MakeFile, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_knowledge([make_file(text)])


@pytest.mark.parametrize(
    ("good", "bad", "fault"),
    [
        ("IsA\tdog\tpet\n", "IsA\tdog\n", "needs 3 or 4 tab-separated columns .* found 2: 'IsA\\\\tdog'"),
        ("IsA\tdog\tpet\n", "IsA\tdog\tfish\tmany\n", "the weight 'many' is not a number"),
        ("IsA\tdog\tpet\n", "IsA\tdog\tfish\tnan\n", "the weight 'nan' is not a number"),
        (assertion("/r/IsA", "/c/en/a", "/c/en/b"), "/a/[x]\t/r/IsA\t/c/en/a\n", "needs the 5 .* found 3"),
        (
            assertion("/r/IsA", "/c/en/a", "/c/en/b"),
            "/a/[x]\t/r/IsA\t/c/en/a\t/c/en/c\t{broken\n",
            "the last column is not a JSON object",
        ),
        (assertion("/r/IsA", "/c/en/a", "/c/en/b"), "/a/[x]\t/r/IsA\t/c/en/a\t/c/en/c\t[]\n", "not a JSON object"),
        ("hi /r/IsA bye\n", "hi bye\n", "needs `head /r/Relation tail`: 'hi bye'"),
        ("IsA\tdog\tpet\n", b"IsA\tcaf\xe9\tplace\n", "is not UTF-8"),
    ],
)
def test_a_malformed_line_is_counted_and_told(
    make_file: MakeFile, tmp_path: Path, good: str, bad: str | bytes, fault: str
) -> None:
    path = tmp_path / "kb.txt"
    path.write_bytes(good.encode() + (bad if isinstance(bad, bytes) else bad.encode()))
    kb = read_knowledge([path])
    assert (len(kb), kb.skipped) == (1, {"malformed": 1})
    (told,) = kb.counts[f"{tmp_path.name}/kb.txt"].faults
    assert re.match(f"line 2: .*{fault}", told)


def test_a_header_in_the_way_is_counted_by_its_lines(make_file: MakeFile) -> None:
    kb = read_knowledge([make_file("node1\tlabel\tnode2\n/c/en/a\t/r/IsA\n/c/en/a\t/r/IsA\t/c/en/b\n")])
    (counts,) = kb.counts.values()
    assert (counts.lines, counts.kept) == (2, 1)
    assert counts.faults == ("line 2: needs the header's 3 columns, found 2: '/c/en/a\\t/r/IsA'",)


def test_up_to_ten_or_one_in_a_hundred_malformed_lines_are_borne(make_file: MakeFile) -> None:
    def lines(good: int, bad: int) -> str:
        return "".join(f"IsA\tdog{k}\tpet\n" for k in range(good)) + "IsA\n" * bad

    kb = read_knowledge([make_file(lines(3, 10))])
    assert (len(kb), kb.skipped, kb.lines) == (3, {"malformed": 10}, 13)
    assert len(next(iter(kb.counts.values())).faults) == 5
    assert read_knowledge([make_file(lines(1089, 11))]).skipped == {"malformed": 11}
    with pytest.raises(
        InputError, match=r"kb\.tsv, line 1089: needs 3 or 4 .* \(11 of 1099 lines are malformed\): 'IsA'"
    ):
        read_knowledge([make_file(lines(1088, 11))])


def test_nothing_but_faults_tells_the_first(make_file: MakeFile) -> None:
    with pytest.raises(KnowledgeError, match=r"was kept \(malformed 2, .*/kb\.tsv, line 1: the weight 'x' is not"):
        read_knowledge([make_file("IsA\tdog\tpet\tx\nIsA\tcat\tpet\ty\n")])


def test_a_mark_at_the_beginning_is_no_text(make_file: MakeFile) -> None:
    assert edges(read_knowledge([make_file("\ufeffIsA\tdog\tpet\n")])) == [("dog", "isa", "pet")]
    assert edges(read_knowledge([make_file("\ufeff" + assertion("/r/IsA", "/c/en/a", "/c/en/b"))])) == [
        ("a", "isa", "b")
    ]


def test_memory_does_not_grow_with_the_lines_that_are_not_kept(make_file: MakeFile) -> None:
    def peak(lines: int) -> int:
        others = "".join(assertion("/r/IsA", f"/c/fr/chien_{k}", "/c/fr/animal") for k in range(lines))
        path = make_file(assertion("/r/IsA", "/c/en/dog", "/c/en/pet") + others)
        tracemalloc.start()
        assert len(read_knowledge([path])) == 1
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    assert peak(20000) < peak(1000) + 100_000


def test_a_large_file_shows_its_lines(
    make_file: MakeFile, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = make_file("IsA\tdog\tpet\n" * 5000)
    read_knowledge([path])
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(readers, "_BAR_FROM_BYTES", 1000)
    assert read_knowledge([path]).skipped == {"duplicate": 4999}
    assert re.search(r"kb\.tsv: 5\.00k lines .* lines/s, .*of the file", capsys.readouterr().err)


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


def test_a_missing_file_and_a_folder_are_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_knowledge([tmp_path / "none.tsv"])
    with pytest.raises(InputError, match="is a folder"):
        read_knowledge([tmp_path])
