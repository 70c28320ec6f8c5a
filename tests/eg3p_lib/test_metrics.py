"""The official structural rules with their reasons, exact triples, and the cases G01-G05, M04, N03."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eg3p_lib.explagraphs import ExplaGraphsRow, Prediction, read_explagraphs, read_predictions
from eg3p_lib.metrics import (
    STANCE_METRICS,
    is_parsed,
    official_edges,
    score_explagraphs,
    score_row,
    structure_faults,
    triple_scores,
)
from workbench_lib.scores import ScoreError

BELIEF = "Cars should be banned because they harm people"
ARGUMENT = "Pollution from cars damages cities"
GRAPH = "(cars; causes; pollution)(pollution; is a; harm)(harm; not desires; people)(people; at location; cities)"
GOLD = ExplaGraphsRow(BELIEF, ARGUMENT, "support", GRAPH)


def faults(graph: str) -> tuple[str, ...]:
    return structure_faults(graph, BELIEF, ARGUMENT)


@pytest.mark.parametrize("graph", [GRAPH + " ", " " + GRAPH, GRAPH + "\n"])
def test_g01_spaces_at_the_ends_spoil_no_concept(graph: str) -> None:
    edges = official_edges(graph).edges
    assert (len(edges), edges[0][0], edges[-1][2]) == (4, "cars", "cities")
    assert faults(graph) == ()


def test_g02_a_missing_parenthesis_eats_no_letter() -> None:
    cut = official_edges(GRAPH.removesuffix(")"))
    assert (cut.edges[-1][2], cut.repaired) == ("cities", True)
    assert not official_edges(GRAPH).repaired
    scores = score_explagraphs([GOLD], [Prediction("support", GRAPH.removesuffix(")"))])
    assert scores.notes["unbalanced_parenthesis"] == 1
    assert scores.metrics["parsed"].value == 0


@pytest.mark.parametrize(
    ("graph", "official", "parsed"),
    [
        (GRAPH.replace("; ", ";"), "not_triple", True),
        (GRAPH.replace("(cars; ", "(cars;  "), "relation", True),
        (GRAPH.replace(")(", ") ("), "edge_count", True),
        ("(cars; causes; pollution)(pollution; is a; harm; risk)(harm; not desires; people)", "not_triple", False),
    ],
)
def test_g03_format_slips(graph: str, official: str, parsed: bool) -> None:
    assert faults(graph)[0] == official
    assert is_parsed(graph) == parsed


def test_g04_the_official_count_takes_repeated_edges() -> None:
    graph = "(cars; causes; pollution)(pollution; is a; harm)(cars; causes; pollution)"
    assert faults(graph) == ()
    assert triple_scores(graph, graph) == (1, 1, 1)


@pytest.mark.parametrize(
    ("graph", "fault"),
    [
        (GRAPH + "(cars; is a; cars)", "cycle"),
        (GRAPH + "(people; causes; cars)", "cycle"),
        (
            "(cars; antonym of; pollution)(pollution; antonym of; cars)"
            "(pollution; is a; harm)(harm; not desires; people)",
            "cycle",
        ),
        (GRAPH + "(dogs; is a; pets)", "disconnected"),
    ],
)
def test_g05_each_fault_has_its_own_reason(graph: str, fault: str) -> None:
    assert faults(graph) == (fault,)


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (GRAPH, ()),
        (GRAPH.upper(), ()),
        ("", ("edge_count",)),
        ("nonsense", ("edge_count",)),
        (GRAPH.replace("is a", "is the"), ("relation",)),
        (GRAPH.replace("harm", "harm to many people"), ("words",)),
        ("(cars; is a; a)(a; is a; x)(x; causes; y)", ()),
        ("(w; is a; v)(v; is a; x)(x; causes; y)", ("concepts",)),
        ("(w v u z; is the; v)(x; is a; x)(x; causes; y)", ("relation", "words", "concepts", "disconnected", "cycle")),
    ],
)
def test_reasons_by_hand(graph: str, expected: tuple[str, ...]) -> None:
    assert faults(graph) == expected


def test_concepts_are_substrings_and_must_be_distinct() -> None:
    graph = "(x; is a; y)(y; is a; car)(car; is a; z)"
    assert structure_faults(graph, "a car", "a car") == ("concepts",)  # car alone
    assert structure_faults(graph, "oxcart", "a scary YZ") == ()  # x and car; y, car and z
    assert structure_faults("(car; is a; car s)(car s; is a; w)(w; is a; v)", "cars", "car s") == ("concepts",)


def test_more_than_eight_edges_pass_the_official_rules() -> None:
    chain = "".join(f"(c{k}; causes; c{k + 1})" for k in range(20))
    assert structure_faults(chain, "c1 c2", "c3 c4") == ()


def test_triple_scores_by_hand() -> None:
    gold = "(a; is a; b)(b; causes; c)(c; causes; d)"
    assert triple_scores(gold, "(A; is a;b) (x; causes; c)") == (1 / 2, 1 / 3, 2 * (1 / 2) * (1 / 3) / (1 / 2 + 1 / 3))
    assert triple_scores(gold, "(a; is a; b)(a; is a; b)") == (1, 1 / 3, 1 / 2)
    assert triple_scores(gold, "(a; is a; b; c)") == (0, 0, 0)
    assert triple_scores(gold, "") == (0, 0, 0)


def test_m04_stance_and_structure_open_the_gate_in_turn() -> None:
    predictions = [
        Prediction("counter", GRAPH),
        Prediction("support", "(cars; causes; pollution)"),
        Prediction("support", GRAPH),
        Prediction("support", GRAPH),
    ]
    metrics = score_explagraphs([GOLD] * 4, predictions).metrics
    assert metrics["SA"].value == 0.75
    assert metrics["StCA"].value == 0.5
    assert metrics["triple_f1"].value == (1 + 2 * 1 * 0.25 / 1.25 + 1 + 1) / 4


def test_rules_but_concepts() -> None:
    elsewhere = "(w; is a; v)(v; is a; x)(x; causes; y)"
    metrics = score_explagraphs([GOLD] * 2, [Prediction("support", elsewhere), Prediction("support", "")]).metrics
    assert (metrics["rules_but_concepts"].value, metrics["StCA"].value) == (0.5, 0)


def test_n03_missing_predictions_count_as_wrong() -> None:
    predictions = [Prediction("support", GRAPH)] * 6 + [Prediction("counter", "")] * 2
    scores = score_explagraphs([GOLD] * 10, predictions)
    assert scores.n == 10
    assert scores.metrics["SA"].value == scores.metrics["StCA"].value == 0.6
    assert scores.notes["missing"] == 4
    eight = score_explagraphs([GOLD] * 10, [Prediction("support", GRAPH)] * 6 + [Prediction("counter", GRAPH)] * 2)
    assert (eight.metrics["SA"].value, eight.notes["missing"]) == (0.6, 2)


def test_more_predictions_than_gold_and_no_gold_are_errors() -> None:
    with pytest.raises(ScoreError, match="2 predictions for 1 gold examples"):
        score_explagraphs([GOLD], [Prediction("support", GRAPH)] * 2)
    with pytest.raises(ScoreError):
        score_explagraphs([], [])


def test_notes_count_the_reasons() -> None:
    predictions = [Prediction("support", g) for g in ("", GRAPH + "(dogs; is a; pets)", GRAPH, GRAPH + "(a; b; c)")]
    notes = score_explagraphs([GOLD] * 4, predictions).notes
    assert notes["faults"] == {"disconnected": 2, "edge_count": 1, "relation": 1}


@given(
    stance=st.text(max_size=8) | st.sampled_from(["support", "counter"]),
    graph=st.text(max_size=60)
    | st.text(st.sampled_from("ab();:| \n"), max_size=60)
    | st.integers(0, len(GRAPH)).map(lambda k: GRAPH[:k]),
)
def test_any_prediction_gets_fractions(stance: str, graph: str) -> None:
    row = score_row(GOLD, Prediction(stance, graph))
    assert all(0 <= row[name] <= 1 for name in STANCE_METRICS)
    assert row["StCA"] <= min(row["SA"], row["rules_but_concepts"])


@pytest.mark.realdata
def test_reference_predictions_score_as_officially(data_root) -> None:
    golds = read_explagraphs(data_root / "explagraphs" / "dev.tsv")
    predictions = read_predictions(data_root / "reference_predictions/explagraphs/explagraphgen_dev_preds.tsv")
    metrics = score_explagraphs(golds, predictions).metrics
    assert f"{metrics['SA'].value:.4f}" == "0.8618"
    assert f"{metrics['StCA'].value:.4f}" == "0.4950"


@pytest.mark.realdata
def test_dev_gold_against_itself_is_all_right(data_root) -> None:
    golds = read_explagraphs(data_root / "explagraphs" / "dev.tsv")
    scores = score_explagraphs(golds, [Prediction(row.stance, row.graph) for row in golds])
    assert {name: metric.value for name, metric in scores.metrics.items()} == dict.fromkeys(scores.metrics, 1.0)
