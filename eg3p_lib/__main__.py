"""The command line: `python -m eg3p_lib knowledge|synthesize|stats|export|evaluate`."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from eg3p_lib.explagraphs import read_explagraphs, read_predictions
from eg3p_lib.knowledge import read_knowledge, resolve_sources
from eg3p_lib.metrics import score_explagraphs
from eg3p_lib.params import GraphSynthesisParams
from eg3p_lib.queries import LEVELS
from eg3p_lib.stats import corpus_stats, export_corpus, open_graph_corpus
from eg3p_lib.synthesis import build_graph_corpus
from workbench_lib import cli
from workbench_lib.errors import WorkbenchError

app = typer.Typer(
    help="Explanation graphs: knowledge, corpora, metrics.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

SOURCE_HELP = "'starter' (built in), a file, or a glob pattern; looked up here, then under WORKBENCH_DATA."
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")]
Language = Annotated[str, typer.Option(help="Both ends of a triple must be in it.")]
MinWeight = Annotated[float, typer.Option(help="The least weight of a triple that is kept.")]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a corpus.")]


@app.command()
def knowledge(
    source: Annotated[list[str], typer.Argument(metavar="SOURCE...", help=SOURCE_HELP)],
    out: Annotated[Path, typer.Option(help="The knowledge file to write.")],
    language: Language = "en",
    min_weight: MinWeight = 0.0,
    as_json: AsJson = False,
) -> None:
    """Read triples of any known format into one knowledge file, and show what became of every line.

    Formats: conceptnet-assertions csv (plain or .gz), tab-separated relation, head, tail and perhaps a weight or
    label, CSKG tsv, `head /r/Relation tail`, and knowledge files themselves.
    """
    if not out.parent.is_dir():
        raise WorkbenchError(f"{out}: the folder {out.parent} does not exist")
    kb = read_knowledge(resolve_sources(source), language=language, min_weight=min_weight)
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
    incoming: Annotated[
        tuple[float, float, float], typer.Option(help="Weights of 0, 1 and 2 incoming triples of a node.")
    ] = (1.0, 1.0, 1.0),
    max_depth: Annotated[int, typer.Option(help="The most triples from a start to the answer.")] = 3,
    min_triples: Annotated[int, typer.Option(help="The fewest triples of a graph.")] = 1,
    max_triples: Annotated[int, typer.Option(help="The most triples of a graph.")] = 8,
    level: Annotated[list[str], typer.Option(help="easy, normal or hard; may be given several times.")] = list(LEVELS),  # noqa: B006
    distractors: Annotated[str, typer.Option(help="random or neighbours.")] = "random",
    templates: Annotated[str, typer.Option(help="'default', or a yaml file of templates.")] = "default",
    as_json: AsJson = False,
) -> None:
    """Build a corpus of synthetic graphs with their queries; a killed build goes on where it was."""
    values = {
        "knowledge": tuple(knowledge),
        "language": language,
        "min_weight": min_weight,
        "graphs": graphs,
        "seed": seed,
        "incoming": incoming,
        "max_depth": max_depth,
        "min_triples": min_triples,
        "max_triples": max_triples,
        "levels": tuple(level),
        "distractors": distractors,
        "templates": templates,
        "workers": workers,
    }
    corpus = build_graph_corpus(GraphSynthesisParams.make(values, "synthesize"), out)
    manifest = corpus.manifest
    result = {"rows": len(corpus), "graphs": manifest.units, "shards": len(manifest.shards), "digest": corpus.digest}
    cli.emit({"folder": str(out), **result, **manifest.notes, "rejected": manifest.rejected}, as_json)


@app.command()
def stats(folder: Folder, as_json: AsJson = False) -> None:
    """What a corpus holds: rows, sizes and depths of graphs, shares of relations, rejections by reason."""
    cli.emit(corpus_stats(open_graph_corpus(folder)), as_json)


@app.command()
def export(
    folder: Folder,
    out: Annotated[Path, typer.Option(metavar="DIR", help="The folder to write to.")],
    as_json: AsJson = False,
) -> None:
    """Plain text of a corpus: {train,validation}.{source,target}, one example a line, and corpus.jsonl."""
    cli.emit({"folder": str(out), "lines": export_corpus(open_graph_corpus(folder), out)}, as_json)


@app.command()
def evaluate(
    gold: Annotated[Path, typer.Option(help="ExplaGraphs file: belief, argument, stance, graph.")],
    pred: Annotated[Path, typer.Option(help="Predictions: stance, graph; in the gold's order.")],
    as_json: AsJson = False,
) -> None:
    """Score a file of ExplaGraphs predictions by the official structural rules and by exact triples."""
    cli.emit(score_explagraphs(read_explagraphs(gold), read_predictions(pred)).as_json(), as_json)


if __name__ == "__main__":
    cli.run(app)
