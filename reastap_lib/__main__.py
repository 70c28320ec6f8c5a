"""The command line of the table library: `python -m reastap_lib extract|synthesize|stats|audit|evaluate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reastap_lib.audit import audit, report_text, stats
from reastap_lib.denotation_metrics import differences
from reastap_lib.evaluation import evaluate
from reastap_lib.extraction import extract as extract_dump
from reastap_lib.params import TableSynthesisParams
from reastap_lib.skills import TABLE_1
from reastap_lib.synthesis import build_table_corpus
from reastap_lib.tables import Limits
from reastap_lib.tasks import NLI_MODEL, SP_RANKER, WIKITQ
from workbench_lib import cli
from workbench_lib.corpus import Corpus
from workbench_lib.paths import find_data
from workbench_lib.runs import write_jsonl

app = typer.Typer(
    help="Table questions: corpora, audit, metrics.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
SHOWN_DIFFERENCES = 20
Folder = Annotated[Path, typer.Argument(help="A corpus folder.")]


@app.command()
def synthesize(
    tables: Annotated[
        list[str],
        typer.Option(
            help="builtin, or a folder, file or pattern of tables: csv, HTML, the jsonl of WikiSQL or of"
            " turning_tables, or what `extract` made; repeatable."
        ),
    ],
    examples: Annotated[int, typer.Option(help="How many questions.")],
    seed: Annotated[int, typer.Option(help="The same seed gives the same corpus.")],
    out: Annotated[Path, typer.Option(help="The folder of the corpus; an unfinished one is completed.")],
    workers: Annotated[int, typer.Option(help="Processes; the bytes do not depend on it.")] = 1,
    skill: Annotated[
        list[str] | None, typer.Option(help="Only these skills; repeatable. All of Table 1 if not given.")
    ] = None,
    held_out: Annotated[
        list[str] | None,
        typer.Option(help="WikiTQ data (starter, or a folder) whose dev and test tables are left out."),
    ] = None,
    questions_a_table: Annotated[int, typer.Option(help="Aimed at for each table in one order of its rows.")] = 18,
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
        "skills": skill or TABLE_1,
        "questions_a_table": questions_a_table,
        "min_rows": min_rows,
        "max_rows": max_rows,
        "min_columns": min_columns,
        "max_source_words": max_source_words,
        "workers": workers,
    }
    params = TableSynthesisParams.make(values, "command line")
    corpus = build_table_corpus(params, out, workers)
    manifest = corpus.manifest
    cli.emit({"folder": str(out), "rows": len(corpus), **manifest.notes, "rejected": manifest.rejected}, json)


@app.command()
def extract(
    dump: Annotated[Path, typer.Argument(help="A MediaWiki XML dump: plain, .bz2 or .gz.")],
    out: Annotated[Path, typer.Option(help="The folder of the tables; an unfinished one is completed.")],
    workers: Annotated[int, typer.Option(help="Processes that parse pages; the bytes do not depend on it.")] = 1,
    min_rows: Annotated[int, typer.Option(help="Smaller tables are left out.")] = 8,
    max_rows: Annotated[int, typer.Option(help="Larger tables are left out.")] = 30,
    min_columns: Annotated[int, typer.Option(help="Narrower tables are left out.")] = 3,
    json: Json = False,
) -> None:
    """Take the tables out of a Wikipedia dump; the folder is a source of tables for `synthesize`."""
    manifest = extract_dump(find_data(str(dump)), out, Limits(min_rows, max_rows, min_columns), workers).manifest
    counts = {"pages": manifest.units, "tables": manifest.rows, "left_out": manifest.rejected}
    cli.emit({"folder": str(out), **counts}, json)


@app.command(name="stats")
def stats_command(folder: Folder, json: Json = False) -> None:
    """What a corpus holds: skill shares beside the paper's Table 1, splits, lengths, rejections by reason."""
    cli.emit(stats(Corpus(folder)), json)


@app.command(name="audit")
def audit_command(
    folder: Folder,
    workers: Annotated[int, typer.Option(help="Processes.")] = 1,
    json: Json = False,
) -> None:
    """Every answer of a corpus again, from its text alone; exit code 1 where anything is at fault."""
    report = audit(Corpus(folder), workers)
    if json:
        cli.emit(report, json)
    else:
        print(report_text(report))
    if report["faults"]:
        raise typer.Exit(1)


@app.command(name="evaluate")
def evaluate_command(
    task: Annotated[str, typer.Option(help="wikitq, wikisql, tabfact or logicnlg.")],
    gold: Annotated[
        str,
        typer.Option(help="A file of the data set; starter or a folder, with --split; or a file of {id, answers}."),
    ],
    pred: Annotated[Path, typer.Option(help="jsonl of {id, prediction}, or a file as ReasTAP published them.")],
    split: Annotated[str, typer.Option(help="The split, where the gold is a folder.")] = "dev",
    nli_model: Annotated[
        str, typer.Option(help="For NLI-Acc of logicnlg: a run of the task tabfact, or an entailment model's folder.")
    ] = "",
    sp_ranker: Annotated[
        str,
        typer.Option(help="For SP-Acc of logicnlg: what `ranker` made, or search for the bounds of its search alone."),
    ] = "",
    rows: Annotated[Path | None, typer.Option(help="Write each example's own scores here, as jsonl.")] = None,
    json: Json = False,
) -> None:
    """The metrics of a prediction file; a missing prediction counts as wrong."""
    models = {use: name for use, name in ((NLI_MODEL, nli_model), (SP_RANKER, sp_ranker)) if name}
    scores = evaluate(task, gold, pred, split, models)
    if rows is not None:
        write_jsonl(rows, scores.rows)
    report, differing = scores.as_json(), differences(scores.rows)
    if json and task == WIKITQ.name:
        report["differences"] = differing.to_dict("records")
    cli.emit(report, json)
    if not json and len(differing):
        print(f"\nwhere official and string differ, the first of {len(differing)}:")
        print(differing.head(SHOWN_DIFFERENCES).to_string(index=False))


@app.command()
def ranker(
    sentences: Annotated[
        list[Path], typer.Option(help="bootstrap.json, train_lm.json or a file of pairs of LogicNLG; repeatable.")
    ],
    tables: Annotated[Path, typer.Option(help="The folder of their tables, all_csv.")],
    out: Annotated[Path, typer.Option(help="The folder of the ranker; an interrupted training goes on.")],
    model: Annotated[
        str, typer.Option(help="roberta:SHAPE for fresh weights, or the folder or hub name of an encoder.")
    ] = "roberta:small",
    steps: Annotated[int, typer.Option(help="Of some 64 programs each.")] = 2000,
    learning_rate: Annotated[float, typer.Option(help="LogicNLG's own for BERT is 1e-5.")] = 3e-4,
    seed: Annotated[int, typer.Option(help="Of fresh weights, dropout and the order of programs.")] = 0,
    workers: Annotated[int, typer.Option(help="Processes that search for programs.")] = 1,
    json: Json = False,
) -> None:
    """Train the ranker of SP-Acc on programs found for sentences, told right from wrong."""
    from reastap_lib.lpa.ranker import ranker_params, train_on_files  # torch takes seconds

    params = ranker_params(steps=steps, learning_rate=learning_rate, seed=seed)
    cli.emit(train_on_files(sentences, tables, params, out, model=model, workers=workers), json)


if __name__ == "__main__":
    cli.run(app)
