"""The command line of the table library: `python -m reastap_lib synthesize|stats|audit|evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, cast, get_args

import typer

from reastap_lib.audit import audit, stats
from reastap_lib.params import TableSynthesisParams
from reastap_lib.predictions import read_predictions
from reastap_lib.skills import skill_names
from reastap_lib.synthesis import build_table_corpus
from reastap_lib.tasks import WIKITQ, gold_examples
from reastap_lib.wikitq import WikiQuestion, question_file, read_questions, root_of, with_canon
from workbench_lib import cli
from workbench_lib.corpus import Corpus
from workbench_lib.errors import InputError
from workbench_lib.scores import in_gold_order
from workbench_lib.tasks import Split, TaskError

app = typer.Typer(
    help="Table questions: corpora, audit, metrics.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Folder = Annotated[Path, typer.Argument(help="A corpus folder.")]


@app.command()
def synthesize(
    tables: Annotated[list[str], typer.Option(help="builtin, or a folder, file or pattern of csv tables; repeatable.")],
    examples: Annotated[int, typer.Option(help="How many questions.")],
    seed: Annotated[int, typer.Option(help="The same seed gives the same corpus.")],
    out: Annotated[Path, typer.Option(help="The folder of the corpus; an unfinished one is completed.")],
    workers: Annotated[int, typer.Option(help="Processes; the bytes do not depend on it.")] = 1,
    skill: Annotated[list[str] | None, typer.Option(help="Only these skills; repeatable. All where not given.")] = None,
    held_out: Annotated[
        list[str] | None,
        typer.Option(help="WikiTQ data (starter, or a folder) whose dev and test tables are left out."),
    ] = None,
    min_rows: Annotated[int, typer.Option(help="Smaller tables are left out.")] = 8,
    max_rows: Annotated[int, typer.Option(help="Larger tables are left out.")] = 30,
    min_columns: Annotated[int, typer.Option(help="Narrower tables are left out.")] = 3,
    max_source_words: Annotated[int, typer.Option(help="Longer tables lose their last rows.")] = 350,
    json: Json = False,
) -> None:
    """Make a corpus of questions with proven answers over tables."""
    values = {
        "tables": tables,
        "held_out": held_out or [],
        "examples": examples,
        "seed": seed,
        "skills": skill or skill_names(),
        "min_rows": min_rows,
        "max_rows": max_rows,
        "min_columns": min_columns,
        "max_source_words": max_source_words,
        "workers": workers,
    }
    params = TableSynthesisParams.make(values, "command line")
    corpus = build_table_corpus(params, out, workers)
    settings = corpus.manifest.settings
    kept = {name: settings[name] for name in ("tables_used", "tables_validation", "tables_left_out")}
    cli.emit({"folder": str(out), "rows": len(corpus), **kept, "rejected": corpus.manifest.rejected}, json)


@app.command(name="stats")
def stats_command(folder: Folder, json: Json = False) -> None:
    """What a corpus holds: skill shares beside the paper's Table 1, splits, lengths, rejections by reason."""
    cli.emit(stats(Corpus(folder)), json)


@app.command(name="audit")
def audit_command(folder: Folder, json: Json = False) -> None:
    """Every answer of a corpus again, from its text alone; exit code 1 where anything is at fault."""
    report = audit(Corpus(folder))
    cli.emit(report, json)
    if report["faults"]:
        raise typer.Exit(1)


@app.command()
def evaluate(
    task: Annotated[str, typer.Option(help="The task: wikitq.")],
    gold: Annotated[str, typer.Option(help="A question file (.tsv, .tagged), or starter or a folder with --split.")],
    pred: Annotated[Path, typer.Option(help="jsonl of {id, prediction}, or a JSON list of the same.")],
    split: Annotated[str, typer.Option(help="The split, where the gold is a folder.")] = "dev",
    json: Json = False,
) -> None:
    """The metrics of a prediction file; a missing prediction counts as wrong."""
    if task != WIKITQ.name:
        raise TaskError(f"unknown task {task!r} (there are: {WIKITQ.name})")
    examples = gold_examples(_gold(gold, split))
    predictions = in_gold_order([example.id for example in examples], read_predictions(pred))
    cli.emit(WIKITQ.score(examples, predictions).as_json(), json)


def _gold(gold: str, split: str) -> list[WikiQuestion]:
    path = Path(gold)
    if path.is_file():
        return with_canon(read_questions(path), path.resolve().parent.parent, path)
    if split not in get_args(Split):
        raise InputError(f"unknown split {split!r} (there are: {', '.join(get_args(Split))})")
    root = root_of(gold)
    file = question_file(root, cast(Split, split))
    return with_canon(read_questions(file), root, file)


if __name__ == "__main__":
    cli.run(app)
