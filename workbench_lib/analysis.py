"""From finished runs to the papers' comparisons: with and without pre-training, and the corpus-scale curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from workbench_lib.experiments import PlannedRun
from workbench_lib.figures import COLUMN_INCHES, MARKERS, PALETTE, STYLE
from workbench_lib.paths import runs_dir
from workbench_lib.runs import Run, RunError
from workbench_lib.tasks import get_task

OF_EVERY_TASK = "token_accuracy"  # see training.token_accuracy
WITHOUT, WITH = "without pre-training", "with pre-training"


def outcomes(planned: Sequence[PlannedRun]) -> pd.DataFrame:
    """One row a fine-tuning run and metric: task, corpus_examples (0 = no pre-training), metric, value, low, high, run.

    Raises:
        RunError: no fine-tuning run of the plan is finished.
    """
    records = {item.id: item.run.record() for item in planned if item.run.is_done}
    rows = [
        {"task": record["params"]["task"], "corpus_examples": _corpus_examples(record, records)}
        | {"metric": metric, **interval, "n": record["metrics"]["n"], "run": run}
        for run, record in records.items()
        if record["stage"] == "finetuning"
        for metric, interval in record["metrics"]["scores"].items()
    ]
    if not rows:
        raise RunError("no fine-tuning run of this experiment is finished yet; run the experiment first")
    return pd.DataFrame(rows).sort_values(["task", "metric", "corpus_examples", "run"], ignore_index=True)


def with_and_without(data: pd.DataFrame) -> pd.DataFrame:
    """The first table: each task's metrics without pre-training and with the largest corpus, and the difference."""
    rows = []
    for (task, metric), group in data.groupby(["task", "metric"], sort=False):
        without, best = group.iloc[0], group.iloc[-1]
        if without["corpus_examples"] == 0 < best["corpus_examples"]:
            rows.append(
                {"task": task, "metric": metric, "n": without["n"]}
                | {WITHOUT: _percent(without), WITH: _percent(best)}
                | {"difference": f"{100 * (best['value'] - without['value']):+.1f}"}
                | {"corpus examples": int(best["corpus_examples"]), "runs": f"{without['run']} {best['run']}"}
            )
    names = ["task", "metric", "n", WITHOUT, WITH, "difference", "corpus examples", "runs"]
    return pd.DataFrame(rows, columns=names)


def main_metrics(data: pd.DataFrame, most: int = 3) -> dict[str, list[str]]:
    """The metrics to draw: of each task the first ones that it names and that were computed, and token accuracy.

    Tasks with one size of corpus alone are left out, if there are others.
    """
    sizes = data.groupby("task", sort=False)["corpus_examples"].nunique()
    tasks = [str(task) for task in sizes.index if sizes[task] > 1 or sizes.max() == 1]
    computed = {task: set(data.loc[data["task"] == task, "metric"]) for task in tasks}
    named = {task: [m for m in get_task(task).higher_is_better if m in computed[task]][:most] for task in tasks}
    return {task: [*named[task], *computed[task].intersection([OF_EVERY_TASK])] for task in tasks}


def scale_curve(data: pd.DataFrame, metrics: Mapping[str, Sequence[str]]) -> Figure:
    """The first figure: metrics against the corpus's size, a panel a task; 95 % bootstrap intervals over examples."""
    with plt.rc_context(STYLE):
        size = (COLUMN_INCHES * len(metrics), 2.6)
        figure, panels = plt.subplots(1, len(metrics), figsize=size, squeeze=False, layout="constrained")
        for axes, (task, names) in zip(panels[0], metrics.items(), strict=True):
            for k, name in enumerate(names):
                _draw_series(axes, data[(data["task"] == task) & (data["metric"] == name)], name, k)
            axes.set_xscale("symlog", linthresh=100)
            axes.set(title=task, xlabel="pre-training examples (0: none)", ylabel="%", ylim=(0, None))
            axes.legend()
    plt.close(figure)
    return figure


def _draw_series(axes: Axes, points: pd.DataFrame, name: str, k: int) -> None:
    value = 100 * points["value"]
    errors = [value - 100 * points["low"], 100 * points["high"] - value]
    style: Any = {"color": PALETTE[k], "marker": MARKERS[k], "ms": 4, "capsize": 2, "lw": 1.2}
    axes.errorbar(points["corpus_examples"], value, yerr=errors, label=name, **style)


def _corpus_examples(record: dict[str, Any], records: dict[str, dict[str, Any]]) -> int:
    """Of the corpus behind a fine-tuned model, also where it was fine-tuned on another task before (Table 9)."""
    model = record["upstream"]["model"]
    before = records.get(model) or Run(runs_dir() / model).record_if_done()
    if record["params"]["fresh_weights"] or before is None:
        return 0
    return _corpus_examples(before, records) if before["stage"] == "finetuning" else int(before["metrics"]["examples"])


def _percent(row: pd.Series[Any]) -> str:
    return f"{100 * row['value']:.1f} [{100 * row['low']:.1f}, {100 * row['high']:.1f}]"
