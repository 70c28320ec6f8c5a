"""WordNet's data files, in a small copy of their layout."""

from __future__ import annotations

from pathlib import Path

import pytest

from eg3p_lib.knowledge import KnowledgeError, read_knowledge
from workbench_lib.errors import InputError

LICENCE = """\
  1 This software and database is being provided to you, the LICENSEE, by  
  2 Princeton University under the following license.  By obtaining, using  
"""
NOUNS = """\
00000001 05 n 02 domestic_dog 0 dog 0 003 @ 00000002 n 0000 %p 00000003 n 0000 ! 00000004 n 0201 | a "good | dog"
00000002 05 n 01 animal 0 001 ~ 00000001 n 0000 | it lives
00000003 08 n 01 tail 0 002 #p 00000001 n 0000 %s 00000005 n 0000 | at the end
00000004 05 n 01 cat 0 002 @i 00000002 n 0000 + 00000001 v 0101 | a pet
00000005 27 n 01 A/C_hair 0 000 | no pointers
"""
VERBS = "00000001 38 v 01 run 0 003 @ 00000002 v 0000 * 00000002 v 0000 ;c 00000001 n 0000 02 + 08 00 + 22 00 | fast\n"
MORE_VERBS = "00000002 38 v 01 move 0 001 > 00000001 v 0000 | go\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data.noun").write_text(LICENCE + NOUNS, encoding="utf-8")
    (tmp_path / "data.verb").write_text(LICENCE + VERBS + MORE_VERBS, encoding="utf-8")
    return tmp_path


def test_each_pointer_is_a_triple_or_counted(folder: Path) -> None:
    kb = read_knowledge([folder / "data.noun", folder / "data.verb"])
    assert sorted(kb.edge(number) for number in range(len(kb))) == [
        ("cat", "isa", "animal"),
        ("dog", "antonym", "cat"),
        ("domestic dog", "isa", "animal"),
        ("move", "causes", "run"),
        ("run", "hascontext", "domestic dog"),
        ("run", "hassubevent", "move"),
        ("tail", "madeof", "a c hair"),
        ("tail", "partof", "domestic dog"),
    ]
    assert kb.skipped == {"duplicate": 1, "unmapped_relation": 3}
    assert kb.lines == 12
    triple = next(triple for triple in kb.triples() if triple.relation == "partof")
    assert triple[4:] == (f"{folder.name}/data.noun", "/d/wordnet", "n/wn/body", "n/wn/animal")


def test_the_rules_hold_here_too(folder: Path) -> None:
    kb = read_knowledge([folder / "data.noun"], relations=("isa",))
    assert kb.skipped == {"unmapped_relation": 3, "unwanted_relation": 3}
    with pytest.raises(KnowledgeError, match="other_language"):
        read_knowledge([folder / "data.noun"], language="fr")


def test_faults_are_named(folder: Path) -> None:
    (folder / "data.noun").unlink()
    with pytest.raises(InputError, match=r"data\.noun: no such file"):
        read_knowledge([folder / "data.verb"])
    (folder / "data.verb").write_text(LICENCE + VERBS, encoding="utf-8")
    with pytest.raises(InputError, match=r"data\.verb: points to data\.verb 00000002, where no synset is"):
        read_knowledge([folder / "data.verb"])
    (folder / "data.verb").write_text(LICENCE + "00000001 38 v 01 run 0 003 @ 00000002 | x\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"data\.verb, line 3: is no synset of WordNet: '00000001"):
        read_knowledge([folder / "data.verb"])
