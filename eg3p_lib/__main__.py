"""The command line: `python -m eg3p_lib knowledge|synthesize|stats|export|evaluate|sheet|judged`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from eg3p_lib.case_studies import read_cases
from eg3p_lib.corpora import build_graph_corpus, build_graph_share
from eg3p_lib.evaluation import evaluate, tell_scores
from eg3p_lib.human_evaluation import outcome
from eg3p_lib.judges import open_judges
from eg3p_lib.knowledge import read_knowledge, resolve_sources
from eg3p_lib.merges import load_merges, merges_path
from eg3p_lib.params import GraphSynthesisParams
from eg3p_lib.queries import LEVELS
from eg3p_lib.relations import RELATIONS
from eg3p_lib.stats import corpus_stats, export_corpus, open_graph_corpus, tell_stats
from workbench_lib import cli
from workbench_lib.errors import WorkbenchError
from workbench_lib.runs import finished, write_jsonl

app = typer.Typer(
    help="Explanation graphs: knowledge, corpora, metrics.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

SOURCE_HELP = "'starter' (built in), a file, or a glob pattern; looked up here, then under WORKBENCH_DATA."
MODEL_HELP = "A run of ours, a model folder, or a hub name."
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")]
Language = Annotated[str, typer.Option(help="Both ends of a triple must be in it.")]
MinWeight = Annotated[float, typer.Option(help="The least weight of a triple that is kept.")]
Relations = Annotated[list[str], typer.Option(help="One of the 16 that is kept; several times; by default all.")]
MergeTable = Annotated[str, typer.Option(help="'default', or a yaml file: what the sources' relations become.")]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a corpus.")]


@app.command()
def knowledge(
    source: Annotated[list[str], typer.Argument(metavar="SOURCE...", help=SOURCE_HELP)],
    out: Annotated[Path, typer.Option(help="The knowledge file to write.")],
    language: Language = "en",
    min_weight: MinWeight = 0.0,
    relation: Relations = [],  # noqa: B006
    merges: MergeTable = "default",
    as_json: AsJson = False,
) -> None:
    """Read triples of any known format into one knowledge file, and show what became of every line.

    Formats: conceptnet-assertions csv (plain or .gz), tab-separated relation, head, tail and perhaps a weight or
    label, CSKG tsv, `head /r/Relation tail`, and knowledge files themselves.
    """
    if not out.parent.is_dir():
        raise WorkbenchError(f"{out}: the folder {out.parent} does not exist")
    kb = read_knowledge(
        resolve_sources(source),
        language=language,
        min_weight=min_weight,
        relations=relation or RELATIONS,
        merges=load_merges(merges_path(merges)),
    )
    kb.save(out)
    totals = {"lines": kb.lines, "kept": len(kb), "concepts": len(kb.concepts), "skipped": kb.skipped}
    sources = {name: asdict(counts) for name, counts in kb.counts.items()}
    cli.emit({**totals, "relations": kb.relation_counts(), "sources": sources}, as_json)


@app.command()
def synthesize(
    knowledge: Annotated[list[str], typer.Option(metavar="SOURCE", help=SOURCE_HELP + " May be given several times.")],
    graphs: Annotated[int, typer.Option(help="The number of graphs; each gives one example a level.")],
    seed: Annotated[int, typer.Option(help="Decides all chance.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder of the corpus.")],
    workers: Annotated[int, typer.Option(help="Processes; the corpus does not depend on it.")] = 1,
    language: Language = "en",
    min_weight: MinWeight = 0.0,
    relation: Relations = [],  # noqa: B006
    merges: MergeTable = "default",
    incoming: Annotated[
        tuple[float, float, float], typer.Option(help="Weights of 0, 1 and 2 incoming triples of a node.")
    ] = (1.0, 1.0, 1.0),
    max_depth: Annotated[int, typer.Option(help="The most triples from a start to the answer.")] = 2,
    min_triples: Annotated[int, typer.Option(help="The fewest triples of a graph.")] = 1,
    max_triples: Annotated[int, typer.Option(help="The most triples of a graph.")] = 8,
    level: Annotated[
        list[str],
        typer.Option(help="easy, normal or hard, perhaps with a weight: hard=0.5. May be given several times."),
    ] = list(LEVELS),  # noqa: B006
    distractors: Annotated[str, typer.Option(help="random or neighbours.")] = "random",
    templates: Annotated[
        str, typer.Option(help="'default', 'verbatim' (the paper's own), or a yaml file.")
    ] = "default",
    task: Annotated[
        str, typer.Option(help="text-to-graph, or the baselines: link-prediction, head-prediction, tail-prediction.")
    ] = "text-to-graph",
    held_out: Annotated[
        list[str], typer.Option(metavar="FILE", help="Evaluation splits whose answers no triple may give away.")
    ] = [],  # noqa: B006
    rank: Annotated[int | None, typer.Option(help="Make only the share of one of several processes.")] = None,
    world_size: Annotated[int, typer.Option(help="How many processes share the work; with --rank.")] = 1,
    as_json: AsJson = False,
) -> None:
    """Build a corpus of synthetic graphs with their queries; a killed build goes on where it was.

    On a cluster, every process makes its share (--rank R --world-size W); the same call without --rank completes it.
    """
    values = {
        "knowledge": tuple(knowledge),
        "language": language,
        "min_weight": min_weight,
        "relations": tuple(relation),
        "merges": merges,
        "held_out": tuple(held_out),
        "task": task,
        "graphs": graphs,
        "seed": seed,
        "incoming": incoming,
        "max_depth": max_depth,
        "min_triples": min_triples,
        "max_triples": max_triples,
        "levels": _levels(level),
        "distractors": distractors,
        "templates": templates,
        "workers": workers,
    }
    params = GraphSynthesisParams.make(values, "synthesize")
    if rank is not None:
        missing = build_graph_share(params, out, rank, world_size)
        cli.emit({"folder": str(out), "rank": rank, "shards_missing_over_all_ranks": missing}, as_json)
        return
    corpus = build_graph_corpus(params, out)
    manifest = corpus.manifest
    result = {"rows": len(corpus), "graphs": manifest.units, "shards": len(manifest.shards), "digest": corpus.digest}
    cli.emit({"folder": str(out), **result, **manifest.notes, "rejected": manifest.rejected}, as_json)


def _levels(levels: list[str]) -> dict[str, Any]:
    weights = dict(map(_weighted, levels))
    if len(weights) < len(levels):
        raise WorkbenchError(f"--level names a level twice: {', '.join(levels)}")
    return weights


def _weighted(level: str) -> tuple[str, Any]:
    """`hard=0.5` as a level and its weight; what is no number is left for the parameters' check."""
    name, _, weight = level.partition("=")
    try:
        return name, float(weight or 1)
    except ValueError:
        return name, weight


@app.command()
def stats(
    folder: Folder,
    tokenizer: Annotated[
        str, typer.Option(metavar="NAME", help="A tokenizer's folder or hub name: lengths in its tokens too.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """What a corpus holds: relations beside the paper's (Table 5), sizes, depths, lengths, rejections by reason."""
    found = corpus_stats(open_graph_corpus(folder), _token_counter(tokenizer) if tokenizer else None)
    if as_json:
        cli.emit(found, as_json)
    else:
        print(tell_stats(found))


def _token_counter(name: str) -> Callable[[list[str]], list[int]]:
    from workbench_lib.seq2seq import load_tokenizer  # takes seconds, and is rarely asked for

    tokenizer = load_tokenizer(name)
    return lambda texts: [len(ids) for ids in tokenizer(texts)["input_ids"]]


@app.command()
def export(
    folder: Folder,
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write to.")],
    as_json: AsJson = False,
) -> None:
    """Plain text of a corpus: {train,validation}.{source,target}, one example a line, and corpus.jsonl."""
    cli.emit({"folder": str(out), "lines": export_corpus(open_graph_corpus(folder), out)}, as_json)


@app.command(name="evaluate")
def evaluate_command(
    gold: Annotated[
        Path, typer.Option(help="ExplaGraphs file: belief, argument, stance, graph, perhaps a second one.")
    ],
    pred: Annotated[
        Path, typer.Option(help="Predictions in the gold's order: stance, graph; or a run's predictions.jsonl.")
    ],
    stance_model: Annotated[str, typer.Option(metavar="MODEL", help="For EA. " + MODEL_HELP)] = "",
    semantic_model: Annotated[str, typer.Option(metavar="MODEL", help="For SeCA. " + MODEL_HELP)] = "",
    bertscore_model: Annotated[str, typer.Option(metavar="MODEL", help="For G-BERTScore. " + MODEL_HELP)] = "",
    bertscore_layers: Annotated[int, typer.Option(help="Its layer that is compared; 0 for its last.")] = 0,
    rows: Annotated[Path | None, typer.Option(metavar="FILE", help="Write what each example scored as jsonl.")] = None,
    as_json: AsJson = False,
) -> None:
    """Score a file of ExplaGraphs predictions: the paper's metrics by the official rules, and by its text (strict).

    A metric whose model is not given is not run. Values are fractions of 1, with 95 % bootstrap intervals.
    """
    judges = open_judges(
        stance_model or None, semantic_model or None, bertscore_model or None, bertscore_layers or None
    )
    scores, details = evaluate(gold, pred, judges)
    if rows is not None:
        write_jsonl(rows, details)
    if as_json:
        cli.emit(scores.as_json(), as_json)
    else:
        print(tell_scores(scores))


@app.command()
def sheet(
    run: Annotated[list[str], typer.Argument(metavar="RUN RUN", help="Two fine-tuning runs of one task of graphs.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder of the form; it names the annotator.")],
    cases: Annotated[int, typer.Option(help="How many cases, drawn by the seed.")] = 100,
    seed: Annotated[int, typer.Option(help="The same seed gives all annotators the same cases.")] = 0,
    as_json: AsJson = False,
) -> None:
    """Write a printable sheet to judge two runs' graphs blind, the csv file to fill in, and its key."""
    from eg3p_lib.judgement_sheets import write_form  # widgets and pictures: not for the other commands

    found = read_cases({name: finished(name) for name in run})
    write_form(found, out, number=cases, seed=seed, annotator=out.resolve().name)
    cli.emit({"folder": str(out), "cases": min(cases, len(found))}, as_json)


@app.command()
def judged(
    file: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Files of judgements, or filled-in forms.")],
    as_json: AsJson = False,
) -> None:
    """Semantic accuracy of each system, agreement of the annotators, and a paired test (Table 3)."""
    from eg3p_lib.judgement_sheets import read_judged

    cli.emit(outcome(read_judged(file)).as_json(), as_json)


if __name__ == "__main__":
    cli.run(app)
