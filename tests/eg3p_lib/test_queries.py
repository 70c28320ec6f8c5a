"""Easy, normal and hard queries: the paper's example, graphs by hand, properties of any tree, and case Q03."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eg3p_lib.graphs import ExplanationGraph
from eg3p_lib.queries import LEVELS, Level, QueryWriter, split_source
from eg3p_lib.relations import RELATIONS
from eg3p_lib.sampling import Forest
from eg3p_lib.store import KnowledgeBase
from eg3p_lib.templates import VERBATIM, Templates, load_templates

Edge = tuple[str, str, str]
Say = Callable[..., list[str]]
ALL = (1 << 32) - 1

TABLE_4 = [
    ("eating quickly", "causes", "eating too much"),
    ("confetti", "usedfor", "celebrating"),
    ("celebrating", "hassubevent", "eating too much"),
]


def templates_with(statements: dict[str, tuple[str, ...]], questions: dict[str, tuple[str, ...]]) -> Templates:
    """These, and for the other relations one of each that shows its relation."""
    return Templates(
        {r: statements.get(r, (f"X {r} Y",)) for r in RELATIONS},
        {r: questions.get(r, (f"is {r} of X",)) for r in RELATIONS},
    )


ONE_EACH = templates_with(
    {"causes": ("Y is a result of X",), "usedfor": ("X is used for Y",), "hassubevent": ("Y is a subevent of X",)},
    {"causes": ("is caused by X",), "usedfor": ("is something that X is used for",)}
    | {"hassubevent": ("is a subevent of X",)},
)


@pytest.fixture(scope="session")
def say(make_kb: Callable[..., KnowledgeBase], forest_of: Callable[..., Forest]) -> Say:
    """The queries of one block of trees; the words that choose templates are the same for all, 0 by default."""

    def queries(
        level: Level, *trees: Sequence[Edge], templates: Templates = ONE_EACH, words: Sequence[int] = ()
    ) -> list[str]:
        kb = make_kb({edge for tree in trees for edge in tree})
        forest = forest_of(kb, *trees)
        writer = QueryWriter(kb, templates)
        places = len(forest.order)
        chosen = np.array([*words, *[0] * places][:places], np.uint32)[:, None].repeat(len(trees), axis=1)
        found: list[str] = writer.vocabulary.write(writer.query(level, forest, chosen)).to_pylist()
        return found

    return queries


# ------------------------------------------------------------------ the paper's example


@pytest.mark.parametrize(
    ("level", "query"),
    [
        (
            "easy",
            "[ANSWER] is a result of eating quickly and confetti is used for [I_E]"
            " then [ANSWER] is a subevent of [I_E]",
        ),
        (
            "normal",
            "What is caused by eating quickly and is a subevent of something that confetti is used for",
        ),
        ("hard", "What is caused by eating quickly , together with confetti"),
    ],
)
def test_table_4_in_english(say: Say, level: Level, query: str) -> None:
    assert say(level, TABLE_4) == [query]


@pytest.mark.parametrize(
    ("level", "causes", "query"),
    [
        (
            "easy",
            "Y is a result of X",
            "[ANSWER] is a result of eating quickly and confetti is used for [I_E]"
            " then [ANSWER] is a subevent of [I_E]",
        ),
        ("normal", "X causes Y", "What eating quickly causes and confetti is used for then is a subevent of"),
        ("hard", "Y is a result of X", "What is a result of eating quickly with confetti"),
    ],
)
def test_table_4_as_the_paper_prints_it(say: Say, level: Level, causes: str, query: str) -> None:
    """But for the underscores, and the hard one: the paper's `eating_quickly is a result of` turns the triple round."""
    own = load_templates(VERBATIM).statements
    assert {causes, "X is used for Y", "Y is a subevent of X"} <= {text for texts in own.values() for text in texts}
    chosen = {"causes": (causes,), "usedfor": ("X is used for Y",), "hassubevent": ("Y is a subevent of X",)}
    assert say(level, TABLE_4, templates=Templates({**own, **chosen}, {})) == [query]


# ------------------------------------------------------------------ by hand

FORK = [("a", "causes", "x"), ("b", "causes", "x"), ("x", "causes", "z"), ("c", "usedfor", "z")]
LINE = [("c", "usedfor", "x"), ("x", "causes", "z")]
DEEP = [("a", "usedfor", "w"), ("w", "hassubevent", "x"), ("x", "causes", "z")]
STAR = [("a", "causes", "z"), ("b", "causes", "z")]


def test_easy_queries_by_hand(say: Say) -> None:
    assert say("easy", FORK, LINE, DEEP, STAR, STAR[:1]) == [
        "[I_E] is a result of a and [I_E] is a result of b then [ANSWER] is a result of [I_E]"
        " and c is used for [ANSWER]",
        "c is used for [I_E] then [ANSWER] is a result of [I_E]",
        "a is used for [I_E] then [I_E] is a subevent of [I_E] then [ANSWER] is a result of [I_E]",
        "[ANSWER] is a result of a and [ANSWER] is a result of b",
        "[ANSWER] is a result of a",
    ]


def test_normal_queries_by_hand(say: Say) -> None:
    assert say("normal", FORK, LINE, DEEP, STAR, STAR[:1]) == [
        "What is caused by something that is caused by a and that is caused by b and is something that c is used for",
        "What is caused by something that c is used for",
        "What is caused by something that is a subevent of something that a is used for",
        "What is caused by a and is caused by b",
        "What is caused by a",
    ]


def test_hard_queries_by_hand(say: Say) -> None:
    assert say("hard", FORK, LINE, DEEP, STAR, STAR[:1]) == [
        "What follows from something that is caused by a , together with b and c",
        "What follows from something that c is used for",
        "What follows from something that a is used for",
        "What is caused by a , together with b",
        "What is caused by a",
    ]
    stars = [[(start, "causes", "z") for start in starts] for starts in ("abcd", "abc")]
    assert say("hard", *stars) == [
        "What is caused by a , together with b , c and d",
        "What is caused by a , together with b and c",
    ]


def test_bare_queries_by_hand(say: Say) -> None:
    """As in Table 4: hidden concepts left out; of the hard query's triples only the first is said."""
    bare = Templates(templates_with({"causes": ("Y , because of X , is",)}, {}).statements, {})
    assert say("normal", FORK, LINE, templates=bare) == [
        "What , because of a , is and , because of b , is then , because of , is and c usedfor",
        "What c usedfor then , because of , is",
    ]
    assert say("hard", FORK, LINE, STAR, templates=bare) == [
        "What , because of a , is with b and c",
        "What c usedfor",
        "What , because of a , is with b",
    ]


def test_the_nth_word_chooses_the_template_of_the_nth_written_triple(say: Say) -> None:
    two = templates_with({"causes": ("X one Y", "X two Y")}, {"causes": ("one X", "two X")})
    tree = [("a", "causes", "x"), ("x", "causes", "z"), ("b", "causes", "z")]
    words = [0, ALL, 1 << 31]
    assert say("easy", tree, templates=two, words=words) == ["a one [I_E] then [I_E] two [ANSWER] and b two [ANSWER]"]
    assert say("normal", tree, templates=two, words=words) == ["What two something that one a and two b"]
    assert say("hard", tree[2:], templates=two, words=[ALL]) == ["What two b"]
    assert say("hard", tree[2:], templates=two, words=[(1 << 31) - 1]) == ["What one b"]


def test_a_described_head_comes_last_where_a_template_allows_it(say: Say) -> None:
    chain = [("a", "causes", "x"), ("x", "causes", "z")]
    both = templates_with({}, {"causes": ("is something that X brings", "is caused by X")})
    assert {say("normal", chain, templates=both, words=w)[0] for w in itertools.product((0, ALL), repeat=2)} == {
        "What is caused by something that a brings",
        "What is caused by something that is caused by a",
    }
    only = templates_with({}, {"causes": ("is something that X brings",)})
    assert say("normal", chain, templates=only) == ["What is something that something that a brings brings"]


def test_slots_may_come_in_any_order_and_beside_signs(say: Say) -> None:
    odd = templates_with({"causes": ("X's cause, Y",), "isa": ("(Y) of X!",)}, {"causes": ("has X's cause",)})
    tree = [("y", "isa", "x"), ("x", "causes", "z")]  # concepts called like slots
    assert say("easy", tree, templates=odd) == ["([I_E]) of y! then [I_E]'s cause, [ANSWER]"]
    assert say("normal", tree, templates=odd) == ["What has something that is isa of y's cause"]


def test_the_other_parts_of_an_input_text(
    make_kb: Callable[..., KnowledgeBase], forest_of: Callable[..., Forest]
) -> None:
    kb = make_kb({*FORK, *LINE})
    forest, writer = forest_of(kb, FORK, LINE), QueryWriter(kb, ONE_EACH)
    write = writer.vocabulary.write
    assert write(writer.starts(forest)).to_pylist() == ["a | b | c", "c"]
    assert write(writer.knowledge(forest.triples)).to_pylist() == [
        "a : causes : x | b : causes : x | x : causes : z | c : usedfor : z",
        "c : usedfor : x | x : causes : z",
    ]
    assert write([*writer.constant("What", 2), *writer.constant(" ?", 2)]).to_pylist() == ["What ?", "What ?"]


def test_source_text_is_split_again() -> None:
    graph = ExplanationGraph.of(TABLE_4)
    starts, asked, knowledge = split_source(f"a | b [SEP] What is caused by a ? [SEP] {graph.format()}")
    assert (starts, asked, knowledge) == ("a | b", "What is caused by a ?", graph)


# ------------------------------------------------------------------ any tree

MARKED = Templates(
    {r: (f"X {r}! Y", f"Y {r}! X") for r in RELATIONS},
    {r: (f"is {r}! of X", f"is something that X {r}!") for r in RELATIONS},
)


@st.composite
def trees(draw: st.DrawFn, max_depth: int = 7) -> list[Edge]:
    """In-trees of up to 7 edges, in depth-first order: each node but the answer gets an earlier node as its tail."""
    depth = {0: 0}
    tails: dict[int, int] = {}
    for node in range(1, draw(st.integers(2, 8))):
        tails[node] = draw(st.sampled_from([n for n in depth if depth[n] < max_depth]))
        depth[node] = depth[tails[node]] + 1
    relations = {node: draw(st.sampled_from(RELATIONS)) for node in tails}
    edges: list[Edge] = []

    def write(node: int) -> None:
        for head in (head for head, tail in tails.items() if tail == node):
            write(head)
            edges.append((f"concept{head}", relations[head], f"concept{node}"))

    write(0)
    return edges


WORDS = st.lists(st.integers(0, ALL), min_size=7, max_size=7)


@given(tree=trees(), words=WORDS, templates=st.sampled_from([MARKED, Templates(MARKED.statements, {})]))
@settings(max_examples=60, deadline=None)
def test_q03_each_level_tells_less(say: Say, tree: list[Edge], words: list[int], templates: Templates) -> None:
    """All name the starts and no other concept; easy marks every hidden one, normal none, hard says one triple."""
    graph = ExplanationGraph.of(tree)
    easy, normal, hard = (
        say(level, tree, templates=templates, words=words)[0].replace(",", "").split() for level in LEVELS
    )
    relations = Counter(f"{relation}!" for _, relation, _ in tree)
    for text in (easy, normal, hard):
        assert Counter(w for w in text if w.startswith("concept")) == Counter(graph.starts)
    for text, expected in ((easy, relations), (normal, relations), (hard, Counter([f"{tree[0][1]}!"]))):
        assert Counter(w for w in text if w.endswith("!")) == expected
    assert Counter(w for w in easy if w[0] == "[") == Counter(
        {"[ANSWER]": sum(tail == graph.sink for _, _, tail in tree)}
    ) + Counter({"[I_E]": sum((h not in graph.starts) + (t != graph.sink) for h, _, t in tree)})
    assert not any("[" in word for word in normal + hard)


@given(tree=trees(), words=WORDS, relation=st.sampled_from(RELATIONS))
@settings(max_examples=30, deadline=None)
def test_q03_hard_depends_on_the_starts_and_the_first_relation_alone(
    say: Say, tree: list[Edge], words: list[int], relation: str
) -> None:
    changed = [tree[0], *((head, relation, tail) for head, _, tail in tree[1:])]
    same = changed == tree
    assert say("hard", tree, templates=MARKED, words=words) == say("hard", changed, templates=MARKED, words=words)
    for level in ("easy", "normal"):
        one, two = (say(level, edges, templates=MARKED, words=words) for edges in (tree, changed))
        assert (one == two) == same


@given(st.lists(trees(max_depth=2), min_size=2, max_size=30))
@settings(max_examples=40, deadline=None)
def test_easy_and_normal_queries_of_depth_two_have_one_reading(say: Say, drawn: list[list[Edge]]) -> None:
    """Two trees of other shapes or relations never have the same query; hidden concepts have no names here."""

    def blind(tree: list[Edge]) -> tuple[Edge, ...]:
        graph = ExplanationGraph.of(tree)
        hidden = [concept for concept in graph.concepts if concept not in graph.starts]
        names = {concept: f"hidden{k}" for k, concept in enumerate(hidden)}
        return tuple((names.get(h, h), r, names.get(t, t)) for h, r, t in tree)

    distinct = {blind(tree): tree for tree in drawn}
    one_each = Templates({r: texts[:1] for r, texts in MARKED.statements.items()}, MARKED.questions)
    for level in ("easy", "normal"):
        assert len(set(say(level, *distinct.values(), templates=one_each))) == len(distinct)


@pytest.mark.parametrize("path", ["default", "verbatim"])
def test_q03_the_case_by_the_built_in_templates(say: Say, path: str) -> None:
    case = [
        ("cars", "causes", "pollution"),
        ("pollution", "isa", "harm"),
        ("harm", "notdesires", "people"),
        ("people", "atlocation", "cities"),
    ]
    templates = load_templates(VERBATIM) if path == "verbatim" else load_templates()
    for level in LEVELS:
        for words in itertools.product((0, 1 << 31, ALL), repeat=4):
            (text,) = say(level, case, templates=templates, words=words)
            assert [c for c in ExplanationGraph.of(case).concepts if c in text] == ["cars"]
            assert " : " not in text
