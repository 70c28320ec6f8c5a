"""Figures and tables as files: vector pdf, png, and the csv they can be drawn again from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure

PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")  # Okabe and Ito
MARKERS = ("o", "s", "^", "D", "v", "P")
COLUMN_INCHES = 3.4  # a column of a two-column paper
STYLE: Any = {
    "font.size": 8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "savefig.dpi": 200,
    "pdf.fonttype": 42,
    "legend.frameon": False,
}


def save_figure(figure: Figure, data: pd.DataFrame, folder: Path, name: str) -> list[Path]:
    """Write `name`.pdf, .png and .csv into `folder`; the csv holds all that the figure shows, run ids included."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.{ending}" for ending in ("pdf", "png", "csv")]
    figure.savefig(paths[0], bbox_inches="tight", metadata={"CreationDate": None})
    figure.savefig(paths[1], bbox_inches="tight")
    data.to_csv(paths[2], index=False, lineterminator="\n")
    return paths


def loss_curve(rows: Sequence[dict[str, float]]) -> tuple[Figure, pd.DataFrame]:
    """Training and validation loss against steps, from the rows of a `metrics.jsonl`."""
    data = pd.DataFrame(rows).reindex(columns=["step", "loss", "validation_loss"])
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(COLUMN_INCHES * 1.5, 2.4))
        for column, colour, style in (("loss", PALETTE[0], "-"), ("validation_loss", PALETTE[1], "o--")):
            points = data.dropna(subset=[column])
            axes.plot(points["step"], points[column], style, color=colour, label=column.replace("_", " "), ms=4)
        axes.set(xlabel="step", ylabel="loss per target token (nats)", ylim=(0, None))
        axes.legend()
    plt.close(figure)
    return figure, data


def bar_chart(data: pd.DataFrame, label: str, columns: Sequence[str]) -> Figure:
    """Horizontal bars: a row a label, a colour a column; shares are shown in per cent."""
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(COLUMN_INCHES * 1.5, 0.28 * len(data) * len(columns) ** 0.5 + 0.6))
        height = 0.8 / len(columns)
        for k, column in enumerate(columns):
            places = [i + (k - (len(columns) - 1) / 2) * height for i in range(len(data))]
            axes.barh(places, 100 * data[column], height, color=PALETTE[k], label=column)
        axes.set_yticks(range(len(data)), data[label])
        axes.invert_yaxis()
        axes.set_xlabel("%")
        if len(columns) > 1:
            axes.legend()
    plt.close(figure)
    return figure


def table_figure(data: pd.DataFrame, title: str) -> Figure:
    """A table as a figure, for papers and slides that want it as one; one without rows says so."""
    if data.empty:
        data = pd.DataFrame({"": ["nothing to compare yet"]})
    with plt.rc_context(STYLE):
        figure, axes = plt.subplots(figsize=(1.4 * len(data.columns) + 0.6, 0.28 * (len(data) + 1) + 0.5))
        axes.axis("off")
        axes.set_title(title)
        table = axes.table(cellText=data.values.tolist(), colLabels=list(data.columns), loc="center", cellLoc="left")
        table.auto_set_font_size(False)
        table.set_fontsize(8)
        table.auto_set_column_width(list(range(len(data.columns))))
        for (row, _), cell in table.get_celld().items():
            cell.set_linewidth(0.4)
            cell.get_text().set_fontweight("bold" if row == 0 else "normal")
    plt.close(figure)
    return figure
