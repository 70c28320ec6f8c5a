"""A figure is three files, and its csv holds all that it shows."""

from __future__ import annotations

from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from workbench_lib.figures import bar_chart, loss_curve, save_figure, table_figure

ROWS = [
    {"step": 10, "loss": 2.5, "learning_rate": 0.1, "tokens": 5, "seconds": 1.0},
    {"step": 15, "validation_loss": 2.0},
    {"step": 20, "loss": 1.5, "learning_rate": 0.2, "tokens": 6, "seconds": 2.0},
]


def test_save_figure_writes_pdf_png_and_csv(tmp_path: Path) -> None:
    figure, data = loss_curve(ROWS)
    paths = save_figure(figure, data.assign(run="toy-0123"), tmp_path / "figures", "loss")
    assert [path.name for path in paths] == ["loss.pdf", "loss.png", "loss.csv"]
    assert paths[0].read_bytes().startswith(b"%PDF-")
    assert paths[1].read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert paths[2].read_text() == (
        "step,loss,validation_loss,run\n10,2.5,,toy-0123\n15,,2.0,toy-0123\n20,1.5,,toy-0123\n"
    )


def test_the_same_figure_is_the_same_bytes(tmp_path: Path) -> None:
    saved = [save_figure(*loss_curve(ROWS), tmp_path / folder, "loss") for folder in ("a", "b")]
    assert [path.read_bytes() for path in saved[0]] == [path.read_bytes() for path in saved[1]]


def test_loss_curve_draws_both_losses_from_zero() -> None:
    figure, _ = loss_curve(ROWS)
    lines = {str(line.get_label()): line.get_xydata().tolist() for line in figure.axes[0].lines}
    assert lines == {"loss": [[10, 2.5], [20, 1.5]], "validation loss": [[15, 2.0]]}
    assert figure.axes[0].get_ylim()[0] == 0


def test_loss_curve_without_validation() -> None:
    figure, data = loss_curve(ROWS[:1])
    assert data["validation_loss"].isna().all()
    assert figure.axes[0].lines[0].get_xydata().tolist() == [[10, 2.5]]


def test_bars_show_shares_in_per_cent_one_a_row_and_column() -> None:
    data = pd.DataFrame({"skill": ["count", "compare"], "corpus": [0.25, 0.75], "paper": [0.2, 0.8]})
    figure = bar_chart(data, "skill", ["corpus", "paper"])
    widths = [[bar.get_width() for bar in bars] for bars in figure.axes[0].containers]
    assert widths[0] == pytest.approx([25, 75])
    assert widths[1] == pytest.approx([20, 80])
    places = [bar.get_y() for bars in figure.axes[0].containers for bar in bars]
    assert len(set(places)) == 4
    assert [label.get_text() for label in figure.axes[0].get_yticklabels()] == ["count", "compare"]


def test_a_table_shows_every_cell() -> None:
    figure = table_figure(pd.DataFrame({"task": ["a", "b"], "value": ["1.0", "2.0"]}), "Title")
    cells = figure.axes[0].tables[0].get_celld()
    shown = {place: cell.get_text().get_text() for place, cell in cells.items()}
    assert shown == {(0, 0): "task", (0, 1): "value", (1, 0): "a", (1, 1): "1.0", (2, 0): "b", (2, 1): "2.0"}


def test_figures_are_closed_so_that_none_piles_up() -> None:
    before = plt.get_fignums()
    loss_curve(ROWS)
    bar_chart(pd.DataFrame({"a": ["x"], "b": [1.0]}), "a", ["b"])
    table_figure(pd.DataFrame({"a": ["x"]}), "")
    assert plt.get_fignums() == before
