"""CPU seconds to score 10,000 predictions on one core, for each evaluator, from the files to the intervals.

    python benchmarks/evaluators.py [--predictions 10000]

The files are the starter sets', repeated under new ids until there are enough, in the official layouts; half of the
predictions are right. The baseline is reading both files as JSON or text alone: what no evaluator can save. Beside
it, LogicNLG's three BLEU values by nltk's `sentence_bleu`, as the data set's own evaluator calls it.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from nltk.translate.bleu_score import sentence_bleu as nltk_bleu

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from reastap_lib.evaluation import TASKS, evaluate, gold_examples
from reastap_lib.json_files import read_json
from reastap_lib.logicnlg import STARTER_FOLDER as LOGICNLG
from reastap_lib.tabfact import STARTER_FOLDER as TABFACT
from reastap_lib.wikisql import STARTER_FOLDER as WIKISQL
from reastap_lib.wikitq import STARTER_FOLDER as WIKITQ
from workbench_lib.bleu import sentence_bleu
from workbench_lib.tasks import Example

WEIGHTS = ((1, 0, 0), (0.5, 0.5, 0), (0.33, 0.33, 0.33))


def repeated(entries: Sequence[Any], wanted: int) -> list[Any]:
    return [entries[k % len(entries)] for k in range(wanted)]


def wikitq_gold(folder: Path, wanted: int) -> Path:
    header, *lines = (WIKITQ / "data" / "dev.tsv").read_text(encoding="utf-8").splitlines()
    renamed = (f"x-{k}\t{line.split(chr(9), 1)[1]}" for k, line in enumerate(repeated(lines, wanted)))
    return written(folder / "gold.tsv", "\n".join([header, *renamed]) + "\n")


def wikisql_gold(folder: Path, wanted: int) -> Path:
    lines = (WIKISQL / "dev.jsonl").read_text(encoding="utf-8").splitlines()
    written(folder / "dev.tables.jsonl", (WIKISQL / "dev.tables.jsonl").read_text(encoding="utf-8"))
    return written(folder / "dev.jsonl", "\n".join(repeated(lines, wanted)) + "\n")


def tabfact_gold(folder: Path, wanted: int) -> Path:
    entries = list(read_json(TABFACT / "tokenized_data" / "val_examples.json").values())
    count = wanted * len(entries) // sum(len(texts) for texts, _, _ in entries)
    tables = {f"{k}.html.csv": entry for k, entry in enumerate(repeated(entries, count))}
    (folder / "tokenized_data").mkdir()
    return written(folder / "tokenized_data" / "val_examples.json", json.dumps(tables))


def logicnlg_gold(folder: Path, wanted: int) -> Path:
    entries = list(read_json(LOGICNLG / "data" / "val_lm.json").values())
    count = wanted * len(entries) // sum(map(len, entries))
    tables = {f"{k}.html.csv": entry for k, entry in enumerate(repeated(entries, count))}
    return written(folder / "val_lm.json", json.dumps(tables))


GOLDS: dict[str, Callable[[Path, int], Path]] = {
    "wikitq": wikitq_gold,
    "wikisql": wikisql_gold,
    "tabfact": tabfact_gold,
    "logicnlg": logicnlg_gold,
}


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def predictions(folder: Path, golden: Sequence[Example]) -> Path:
    """Every second prediction is another example's."""
    texts = [golden[k if k % 2 else (k + 7) % len(golden)].target for k in range(len(golden))]
    lines = (json.dumps({"id": gold.id, "prediction": text}) for gold, text in zip(golden, texts, strict=True))
    return written(folder / "pred.jsonl", "\n".join(lines) + "\n")


def seconds(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def read_alone(gold: Path, pred: Path) -> None:
    for path in (gold, pred):
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".jsonl":
            [json.loads(line) for line in text.splitlines()]
        elif path.suffix == ".json":
            json.loads(text)


def measure(task: str, wanted: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        gold = GOLDS[task](folder, wanted)
        pred = predictions(folder, gold_examples(task, str(gold)))
        evaluate(task, str(gold), pred)  # once unmeasured: imports, compiled patterns
        took, reading = seconds(lambda: evaluate(task, str(gold), pred)), seconds(lambda: read_alone(gold, pred))
        n = len(gold_examples(task, str(gold)))
        print(f"{task}: {n:,} predictions in {took:.2f} s, {10_000 * took / n:.2f} s for 10,000", end="; ")
        print(f"reading alone {reading:.2f} s, ratio {took / reading:.1f}")


def compare_bleu(wanted: int) -> None:
    golden = repeated(gold_examples("logicnlg", "starter"), wanted)
    references = [[text.split() for text in json.loads(gold.references["sentences"])] for gold in golden]
    texts = [golden[(k + 1) % len(golden)].target.split() for k in range(len(golden))]
    pairs = list(zip(references, texts, strict=True))
    ours = seconds(lambda: [sentence_bleu(r, t, weights) for r, t in pairs for weights in WEIGHTS])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = seconds(lambda: [nltk_bleu(r, t, weights=weights) for r, t in pairs for weights in WEIGHTS])
    print(f"BLEU of {len(pairs):,} sentences: {ours:.2f} s, by nltk {theirs:.2f} s, ratio {theirs / ours:.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--predictions", type=int, default=10_000)
    wanted = parser.parse_args().predictions
    for task in TASKS:
        measure(task, wanted)
    compare_bleu(wanted // 5)


if __name__ == "__main__":
    main()
