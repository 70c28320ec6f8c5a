"""Triples that give evaluation answers away: found, left out, counted."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from eg3p_lib.evaluation_splits import leave_out_overlaps, overlaps
from eg3p_lib.knowledge import read_knowledge
from eg3p_lib.relations import relation_text
from eg3p_lib.store import KnowledgeBase, KnowledgeError
from workbench_lib.errors import InputError

MakeFile = Callable[..., Path]
TRIPLES = """\
CapableOf\tdog\tbark
IsA\tdog\tpet
Antonym\twar\tpeace
AtLocation\tguide dog\tkennel
UsedFor\tkennel\tguide dog
Causes\tfog\tmarsh
IsA\tmarsh\twet land
IsA\tmarsh\tthe
"""


@pytest.fixture
def kb(make_file: MakeFile) -> KnowledgeBase:
    return read_knowledge([make_file(TRIPLES)])


def found(kb: KnowledgeBase, path: Path) -> list[tuple[str, str, str]]:
    (numbers,) = overlaps(kb, [path]).values()
    return [kb.edge(number) for number in numbers.tolist()]


def question(stem: str, choices: list[str], answer: str = "A", concept: str = "") -> str:
    inner = {"stem": stem, "choices": [{"label": "ABCDE"[k], "text": text} for k, text in enumerate(choices)]}
    named = {"question_concept": concept} if concept else {}
    return json.dumps({"answerKey": answer, "id": "x", "question": {**inner, **named}}) + "\n"


def test_explagraphs_by_equal_edges(kb: KnowledgeBase, make_file: MakeFile) -> None:
    graphs = [
        "(Dog; capable of; bark)(bark; is a; pet)(pet; synonym of; dog)",
        "(dog; not capable of; bark)(war; antonym of; peace)(peace; antonym of; war)",
    ]
    path = make_file("".join(f"belief\targument\tsupport\t{graph}\n" for graph in graphs), "dev.tsv")
    assert found(kb, path) == [("dog", "capableof", "bark"), ("war", "antonym", "peace")]
    two = make_file("belief\targument\tsupport\t(a; is a; b)\t(dog; is a; pet)\n", "test.tsv")
    assert found(kb, two) == [("dog", "isa", "pet")]


def test_commonsenseqa_by_concept_and_right_answer_either_way(kb: KnowledgeBase, make_file: MakeFile) -> None:
    text = question("Where does it sleep?", ["pet", "a Kennel"], "B", "guide_dog")
    text += question("What may a dog do?", ["bark", "pet"], "B", "cat")
    expected = [("kennel", "usedfor", "guide dog"), ("guide dog", "atlocation", "kennel")]
    assert found(kb, make_file(text, "dev.jsonl")) == expected


def test_openbookqa_by_the_words_of_the_question(kb: KnowledgeBase, make_file: MakeFile) -> None:
    text = question("There is most likely going to be the FOG around wet, land:", ["the marsh.", "kennel"])
    assert found(kb, make_file(text, "a.jsonl")) == [("fog", "causes", "marsh"), ("marsh", "isa", "wet land")]
    text = question("Foggy wetland dogs", ["marsh"]) + question("Dogs live in a", ["kennel"])
    assert found(kb, make_file(text, "b.jsonl")) == []


def test_what_overlaps_is_left_out_and_counted_at_the_first_file(kb: KnowledgeBase, make_file: MakeFile) -> None:
    gold = make_file("b\ta\tcounter\t(dog; capable of; bark)(war; antonym of; peace)\n", "dev.tsv")
    same = make_file(question("What does a dog do?", ["bark"], "A", "dog"), "dev.jsonl")
    none = make_file(question("What does a cow do?", ["moo"], "A", "cow"), "test.jsonl")
    left = leave_out_overlaps(kb, [gold, same, none])
    assert left.skipped == {f"overlap_{gold.parent.name}/dev.tsv": 2}
    assert (len(left), left.lines) == (6, 8)
    assert "bark" not in left.concepts.to_pylist()
    assert leave_out_overlaps(left, [gold, same, none]) is left


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("belief\targument\n", "line 1: has no gold graphs"),
        ("one\ttwo\tthree\n", "line 1: is in no known format of evaluation data"),
        ("b\ta\tsupport\t(a; is a; b)\nb\ta\tsupport\t(a; is a)\n", "line 2: edge 1 has 2 fields"),
        (question("Why?", ["a"]) + "{}\n", "line 2: is no question of CommonsenseQA or OpenbookQA"),
        (question("Why?", ["a"], "B"), "line 1: has no right answer, .*: 'B'"),
        ('{"question": {"stem": "Why?", "choices": [{"label": "A", "text": "a"}]}}\n', "line 1: has no right answer"),
        ("", "the file is empty"),
    ],
)
def test_files_without_gold_or_in_other_formats_are_errors(
    kb: KnowledgeBase, make_file: MakeFile, text: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        overlaps(kb, [make_file(text, "dev.txt")])


def test_two_files_of_one_name_are_an_error(kb: KnowledgeBase, make_file: MakeFile) -> None:
    path = make_file(question("Why?", ["a"]), "dev.jsonl")
    with pytest.raises(KnowledgeError, match="two evaluation files are called"):
        overlaps(kb, [path, path])


@pytest.mark.realdata
def test_official_files(data_root: Path) -> None:
    kb = read_knowledge(sorted((data_root / "conceptnet" / "omcs100k").glob("*.txt")))
    gold = data_root / "explagraphs" / "dev.tsv"
    csqa, obqa = data_root / "csqa" / "dev_rand_split.jsonl", data_root / "obqa" / "Data" / "Main" / "test.jsonl"
    left = leave_out_overlaps(kb, [gold, csqa, obqa])
    reasons = {"overlap_explagraphs/dev.tsv", "overlap_csqa/dev_rand_split.jsonl", "overlap_Main/test.jsonl"}
    assert reasons == set(left.skipped) - set(kb.skipped)
    assert left.lines == len(left) + sum(left.skipped.values())
    gold_edges = set(re.findall(r"\([^()]*; [^()]*\)", gold.read_text(encoding="utf-8").lower()))
    assert len(gold_edges) > 1000
    assert not gold_edges & {f"({h}; {relation_text(r)}; {t})" for h, r, t in map(left.edge, range(len(left)))}
    linked = {frozenset((h, t)) for h, _, t in map(left.edge, range(len(left)))}
    for line in csqa.read_text(encoding="utf-8").split("\n")[:-1]:
        item = json.loads(line)
        answer = next(c["text"] for c in item["question"]["choices"] if c["label"] == item["answerKey"])
        assert frozenset((item["question"]["question_concept"], answer)) not in linked
    for test in ("explagraphs/test_no_labels.tsv", "csqa/test_rand_split_no_answers.jsonl"):
        with pytest.raises(InputError, match="has no"):
            overlaps(kb, [data_root / test])
