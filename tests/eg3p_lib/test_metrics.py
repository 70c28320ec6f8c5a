"""The metrics together: the gates, two golds, judges, reference values; the cases M04 and N03."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eg3p_lib.explagraphs import ExplaGraphsRow, Prediction, read_explagraphs, read_predictions
from eg3p_lib.graph_measures import graph_in_order, normalised_distance
from eg3p_lib.judges import Judges
from eg3p_lib.metrics import HIGHER_IS_BETTER, OF_THE_PAPER, score_explagraphs, triple_scores
from workbench_lib.scores import ScoreError, Scores

BELIEF = "Cars should be banned because they harm people"
ARGUMENT = "Pollution from cars damages cities"
GRAPH = "(cars; causes; pollution)(pollution; is a; harm)(harm; not desires; people)(people; at location; cities)"
GOLD = ExplaGraphsRow(BELIEF, ARGUMENT, "support", GRAPH)
RIGHT = Prediction("support", GRAPH)
MODEL_FREE = [name for name in HIGHER_IS_BETTER if not name.startswith(("SeCA", "EA", "G-BERTScore"))]


class Says:
    """A judge that says what a function of the two texts says."""

    labels = ("support", "counter", "incorrect")

    def __init__(self, say):
        self.say = say
        self.asked: list[tuple[str, str]] = []

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> npt.NDArray[np.floating]:
        self.asked += pairs
        return np.array([self.say(*pair) for pair in pairs])


def values(scores: Scores) -> dict[str, float]:
    return {name: metric.value for name, metric in scores.metrics.items()}


def test_m04_each_metric_counts_what_passed_and_divides_by_all() -> None:
    predictions = [Prediction("counter", GRAPH), Prediction("support", "(cars; causes; pollution)"), RIGHT, RIGHT]
    answers = iter([[1, 0, 0], [0, 0, 1]])
    judges = Judges(semantic=Says(lambda *_: next(answers)))
    found = values(score_explagraphs([GOLD] * 4, predictions, judges))
    assert {name: found[name] for name in ("SA", "StCA", "SeCA", "GED")} == {
        "SA": 0.75,
        "StCA": 0.5,
        "SeCA": 0.25,
        "GED": 0.5,
    }
    assert found["G-BLEU"] == found["G-ROUGE"] == 0.5
    assert found["triple_f1"] == (1 + 2 * 1 * 0.25 / 1.25 + 1 + 1) / 4


def test_m04_a_prediction_of_20_edges_is_at_the_worst_distance() -> None:
    gold = "(a; is a; b)(b; is a; c)(c; is a; d)"
    chain = "".join(f"(x{k}; causes; x{k + 1})" for k in range(20))
    assert normalised_distance(gold, chain) == (1, 1)  # 41 operations over 4 + 3 + 17
    assert normalised_distance(gold, chain.split("(x10;")[0]) == (1 * 21 / 24, 1 * 21 / 24)  # 11 nodes, 7 edges new


@pytest.mark.parametrize(
    ("predicted", "expected"),
    [
        ("(cars; causes; pollution)(pollution; is a; harm)(harm; not desires; people)", 0),
        ("(cars; causes; pollution)(pollution; causes; harm)(harm; not desires; people)", 1),
        ("(pollution; causes; cars)(pollution; is a; harm)(harm; not desires; people)", 2),
        ("(cars; causes; pollution)(pollution; is a; harm)(harm; not desires; people)(people; used for; roads)", 2),
        ("(w; used for; x)(x; part of; y)(y; at location; z)", 7),
    ],
)
def test_m03_distances_are_over_nodes_and_edges_of_the_gold_and_17(predicted: str, expected: int) -> None:
    gold = "(cars; causes; pollution)(pollution; is a; harm)(harm; not desires; people)"
    assert normalised_distance(gold, predicted) == (expected / 24, expected / 24)


def test_a_distance_that_is_not_found_counts_as_its_upper_bound_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    from eg3p_lib import graph_measures
    from eg3p_lib.edit_distance import Distance

    monkeypatch.setattr(graph_measures, "edit_distance", lambda *_: Distance(low=3, high=5, steps=1))
    scores = score_explagraphs([GOLD], [RIGHT])
    assert values(scores)["GED"] == 5 / (5 + 4 + 17)
    assert scores.rows[0]["GED-bounds"] == [3 / 26, 5 / 26]
    assert scores.notes["ged_bounds_only"] == 1


def test_n03_missing_predictions_count_as_wrong() -> None:
    scores = score_explagraphs([GOLD] * 10, [RIGHT] * 6 + [Prediction("counter", GRAPH)] * 2)
    assert scores.n == 10
    assert values(scores)["SA"] == values(scores)["StCA"] == 0.6
    assert values(scores)["GED"] == 0.4
    assert scores.notes["missing"] == 2


def test_more_predictions_than_gold_and_no_gold_are_errors() -> None:
    with pytest.raises(ScoreError, match="2 predictions for 1 gold examples"):
        score_explagraphs([GOLD], [RIGHT] * 2)
    with pytest.raises(ScoreError, match="no examples to score"):
        score_explagraphs([], [])


def test_the_better_of_two_golds_counts() -> None:
    other = "(cars; causes; pollution)(pollution; is a; harm)(harm; at location; cities)"
    golds = [ExplaGraphsRow(BELIEF, ARGUMENT, "support", GRAPH, 1, other)] * 2
    found = score_explagraphs(golds, [RIGHT, Prediction("support", other)])
    exact = {"SA", "StCA", "G-BLEU", "G-ROUGE", "triple_f1", "StCA-strict"}
    assert {values(found)[name] for name in exact} == {1}
    assert values(found)["GED"] == 0
    alone = values(score_explagraphs([GOLD], [Prediction("support", other)]))
    assert 0 < alone["G-BLEU"] < 1
    assert alone["GED"] > 0


def test_the_strict_form_reads_any_spacing_and_wants_whole_words() -> None:
    respaced = GRAPH.replace("; ", ";").replace(")(", ") (")
    substring = GRAPH.replace("people", "peop").replace("harm", "har")
    found = score_explagraphs([GOLD] * 2, [Prediction("support", respaced), Prediction("support", substring)])
    assert [row["StCA"] for row in found.rows] == [0, 1]
    assert [row["StCA-strict"] for row in found.rows] == [1, 0]
    assert [row["GED-strict"] for row in found.rows] == [0, 1]
    assert found.rows[0]["GED"] == 1
    assert found.notes["faults"] == {"official": {"edge_count": 1}, "strict": {"concepts": 1}}


def test_a_metric_without_its_model_is_not_run_and_never_0() -> None:
    scores = score_explagraphs([GOLD], [RIGHT])
    assert list(scores.metrics) == MODEL_FREE
    assert scores.notes["not_run"] == ["SeCA", "G-BERTScore", "EA"]
    wrong = score_explagraphs([GOLD], [Prediction("counter", GRAPH)])
    assert list(wrong.metrics) == MODEL_FREE
    assert not any(name.startswith(("SeCA", "EA", "G-BERTScore")) for name in wrong.rows[0])


def test_seca_reads_the_belief_and_the_graph_depth_first_in_lower_case() -> None:
    judge = Says(lambda *_: [0.1, 0.7, 0.2])
    unordered = "(pollution; is a; harm)(Cars; causes; pollution)(cars; causes; people)"
    scores = score_explagraphs([GOLD], [Prediction("support", unordered)], Judges(semantic=judge))
    assert judge.asked[0] == (
        BELIEF.lower(),
        "(cars; causes; pollution)(pollution; is a; harm)(cars; causes; people)",
    )
    assert len(judge.asked) == 1  # right in both modes, and asked once
    assert values(scores)["SeCA"] == values(scores)["SeCA-strict"] == 0


def test_ea_is_the_share_of_edges_without_which_the_gold_stance_is_less_likely() -> None:
    """The judge is as sure of support as there are edges with a C, out of 4."""
    judge = Says(lambda _, text: [text.count("c") / 20, 0.5])
    gold = ExplaGraphsRow("B X Y", "Z V", "support", "")
    graph = "(x; causes; y)(y; causes; z)(z; is a; v)(z; is a; v)"
    scores = score_explagraphs([gold], [Prediction("support", graph)], Judges(stance=judge))
    assert scores.metrics["EA"].value == 2 / 3  # of two edges between the same concepts the last is read
    assert judge.asked == [
        ("B X Y", "Z V x causes y. y causes z. z is a v. "),
        ("B X Y", "Z V y causes z. z is a v. "),
        ("B X Y", "Z V x causes y. z is a v. "),
        ("B X Y", "Z V x causes y. y causes z. "),
    ]
    assert scores.metrics["EA-strict"].value == 0  # a repeated edge


def test_judges_are_not_asked_where_nothing_passed() -> None:
    judge = Says(lambda *_: pytest.fail("asked"))
    scores = score_explagraphs([GOLD], [Prediction("support", "")], Judges(stance=judge, semantic=judge))
    assert values(scores)["SeCA"] == values(scores)["EA"] == 0


def test_g_bertscore_of_the_gold_is_1_and_its_settings_are_noted(tiny_bert: Path) -> None:
    scores = score_explagraphs([GOLD] * 2, [RIGHT, Prediction("counter", GRAPH)], Judges(bertscore=str(tiny_bert)))
    assert scores.metrics["G-BERTScore"].value == pytest.approx(0.5, abs=1e-4)
    assert scores.metrics["G-BERTScore-strict"].value == scores.metrics["G-BERTScore"].value
    assert "tiny_bert, layer 2" in scores.notes["bertscore"]
    assert scores.notes["not_run"] == ["SeCA", "EA"]


def test_edges_in_order_of_a_long_chain_and_of_a_diamond() -> None:
    chain = [(f"c{k}", "causes", f"c{k + 1}") for k in range(3000)]
    backwards = "".join(f"({h}; {r}; {t})" for h, r, t in reversed(chain))
    assert graph_in_order(backwards) == chain
    diamond = "(b; is a; d)(a; is a; c)(c; is a; d)(a; is a; b)(d; is a; e)"
    assert ["".join((h, t)) for h, _, t in graph_in_order(diamond)] == ["ac", "cd", "de", "ab", "bd"]


def test_triple_scores_by_hand() -> None:
    gold = "(a; is a; b)(b; causes; c)(c; causes; d)"
    assert triple_scores(gold, "(A; is a;b) (x; causes; c)") == (1 / 2, 1 / 3, 2 * (1 / 2) * (1 / 3) / (1 / 2 + 1 / 3))
    assert triple_scores(gold, "(a; is a; b)(a; is a; b)") == (1, 1 / 3, 1 / 2)
    assert triple_scores(gold, "(a; is a; b; c)") == (0, 0, 0)
    assert triple_scores(gold, "") == (0, 0, 0)


def test_rules_but_concepts_and_parsed() -> None:
    elsewhere = "(w; is a; v)(v; is a; x)(x; causes; y)"
    found = values(score_explagraphs([GOLD] * 2, [Prediction("support", elsewhere), Prediction("support", "")]))
    assert (found["rules_but_concepts"], found["StCA"], found["parsed"]) == (0.5, 0, 0.5)


def test_notes_count_the_reasons() -> None:
    graphs = ("", GRAPH + "(dogs; is a; pets)", GRAPH, GRAPH + "(a; b; c)", GRAPH[:-1])
    notes = score_explagraphs([GOLD] * 5, [Prediction("support", graph) for graph in graphs]).notes
    assert notes["faults"]["official"] == {"disconnected": 2, "edge_count": 1, "relation": 1}
    assert notes["faults"]["strict"] == {"disconnected": 2, "edge_count": 1, "relation": 1, "not_triple": 1}
    assert (notes["unbalanced_parenthesis"], notes["missing"]) == (1, 1)


PIECES = [
    "(",
    ")",
    ")(",
    "; ",
    ";",
    "cars",
    "pollution",
    "harm",
    "people",
    "is a",
    "causes",
    "\x85",
    "\u2028",
    "𝔘",
    "  ",
]


@settings(max_examples=30)
@given(
    st.lists(
        st.tuples(
            st.text(max_size=8) | st.sampled_from(["support", "counter"]),
            st.text(max_size=60)
            | st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
            | st.integers(0, len(GRAPH)).map(lambda k: GRAPH[:k])
            | st.integers(0, len(GRAPH)).map(lambda k: GRAPH[k:]),
        ),
        max_size=3,
    )
)
def test_any_predictions_get_fractions_of_all_gold_rows(texts: list[tuple[str, str]]) -> None:
    judge = Says(lambda *_: [1.0, 0.0, 0.0])
    predictions = [Prediction(*text) for text in texts]
    scores = score_explagraphs([GOLD] * 3, predictions, Judges(stance=judge, semantic=judge))
    assert scores.n == len(scores.rows) == 3
    assert all(0 <= row[name] <= 1 for row in scores.rows for name in scores.metrics)
    assert all(row["StCA"] <= min(row["SA"], row["rules_but_concepts"]) for row in scores.rows)


def test_odd_predictions_that_the_official_rules_take_for_right_are_scored() -> None:
    long = "".join(f"(cars {k}; causes; cars {k + 1})" for k in range(1500)) + "(cars 0; is a; cars)(cars; is a; harm)"
    odd = ["(cars; is a; a;b)(a;b; causes; harm)(harm; is a; (x))", "( ; is a; cars)(cars; is a; a)(a; is a; b)", long]
    judge = Says(lambda *_: [1.0, 0.0, 0.0])
    predictions = [Prediction("support", graph) for graph in odd]
    gold = ExplaGraphsRow("cars harm a b", "cars harm a b", "support", GRAPH)
    scores = score_explagraphs([gold] * 3, predictions, Judges(stance=judge, semantic=judge))
    assert [row["StCA"] for row in scores.rows] == [1, 1, 1]
    assert scores.rows[2]["GED"] == 1


REFERENCE = {
    "SA": "0.8618",
    "StCA": "0.4950",
    "G-BLEU-precision": "0.1250",
    "G-BLEU-recall": "0.1034",
    "G-BLEU": "0.1112",
    "G-ROUGE-precision": "0.1486",
    "G-ROUGE-recall": "0.1227",
    "G-ROUGE": "0.1320",
    "GED": "0.6471",
}


@pytest.mark.realdata
def test_reference_predictions_score_as_officially(data_root: Path) -> None:
    golds = read_explagraphs(data_root / "explagraphs" / "dev.tsv")
    predictions = read_predictions(data_root / "reference_predictions/explagraphs/explagraphgen_dev_preds.tsv")
    scores = score_explagraphs(golds, predictions)
    assert {name: f"{scores.metrics[name].value:.4f}" for name in REFERENCE} == REFERENCE
    assert scores.notes["ged_bounds_only"] == 0


@pytest.mark.realdata
def test_dev_gold_against_itself_is_all_right(data_root: Path) -> None:
    golds = read_explagraphs(data_root / "explagraphs" / "dev.tsv")
    found = values(score_explagraphs(golds, [Prediction(row.stance, row.graph) for row in golds]))
    assert found == {name: float(HIGHER_IS_BETTER[name]) for name in MODEL_FREE}
    assert set(OF_THE_PAPER) & set(found) == {"StCA", "GED"}
