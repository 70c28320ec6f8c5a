from __future__ import annotations

import json
from pathlib import Path

import pytest

from reastap_lib.evaluation import evaluate, gold_examples
from reastap_lib.nli import entailed_class, nli_judge, premise_and_sentence, statement_text
from reastap_lib.tabfact import LABELS
from reastap_lib.tasks import NLI_MODEL, load_tabfact
from workbench_lib.classification import build_classifier, encode_texts, load_classifier, save_classifier
from workbench_lib.errors import InputError
from workbench_lib.seq2seq import train_tokenizer
from workbench_lib.tasks import Example


@pytest.fixture(scope="module")
def golden() -> list[Example]:
    return gold_examples("logicnlg", "starter")


def classifier(folder: Path, labels: tuple[str, ...]) -> str:
    """A tiny classifier with fresh weights, in a folder."""
    tokenizer = train_tokenizer((example.source for example in load_tabfact("starter", "train")), 400)
    save_classifier(build_classifier("bart:tiny", tokenizer, labels, max_tokens=128, seed=1, dropout=0.0), folder)
    return str(folder)


def test_a_model_of_tabfact_reads_examples_of_tabfact(golden: list[Example], tmp_path: Path) -> None:
    model = classifier(tmp_path / "model", LABELS)
    written = [gold.target.upper() for gold in golden]
    texts = [statement_text(text, gold) for gold, text in zip(golden, written, strict=True)]
    assert texts[0].startswith(f"{golden[0].target} [HEAD] ")
    said = load_classifier(model)(texts).argmax(axis=1)
    pred = tmp_path / "pred.jsonl"
    lines = [json.dumps({"id": gold.id, "prediction": text}) for gold, text in zip(golden, written, strict=True)]
    pred.write_text("\n".join(lines), encoding="utf-8")
    scores = evaluate("logicnlg", "starter", pred, models={NLI_MODEL: model})
    assert scores.metrics["NLI-Acc"].value == (said == LABELS.index("entailed")).mean()
    assert scores.notes["NLI-Acc"]["model"] == model
    assert scores.notes["not_run"] == ["SP-Acc"]


def test_another_model_reads_premise_and_hypothesis(golden: list[Example], tmp_path: Path) -> None:
    model = classifier(tmp_path / "model", ("CONTRADICTION", "NEUTRAL", "ENTAILMENT"))
    loaded = load_classifier(model)
    pairs = [premise_and_sentence("ann won", gold, loaded) for gold in golden]
    assert all(
        premise.startswith(f"title is : {gold.references['title']} .")
        for gold, (premise, _) in zip(golden, pairs, strict=True)
    )
    assert {sentence for _, sentence in pairs} == {"ann won"}
    lengths = [len(ids) for ids in encode_texts(loaded.tokenizer, pairs)]
    assert max(lengths) <= loaded.max_tokens  # rows are left out, and never the sentence
    found = nli_judge(model)(golden, ["ann won"] * len(golden))
    assert found.values == (loaded(pairs).argmax(axis=1) == 2).tolist()
    assert found.notes["cut_texts"] == 0


def test_only_linked_columns_are_read(golden: list[Example]) -> None:
    text = statement_text("X", golden[0])
    columns = json.loads(golden[0].references["columns"])
    assert text.split(" [HEAD] ")[1].split(" [ROW] ")[0].count(" | ") == len(columns) - 1


@pytest.mark.parametrize("labels", [("LABEL_0", "LABEL_1"), ("entailment", "entailed")])
def test_a_model_must_have_one_class_of_entailment(labels: tuple[str, ...]) -> None:
    with pytest.raises(InputError, match=r"m: needs one class whose name begins with 'entail': "):
        entailed_class(labels, "m")
