"""The record of a run: rows as they come, cut back on a restart, damage named; and what its numbers mean."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench_lib.metrics_log import MetricsLog, MetricsLogError, Tally, read_metrics


def test_a_cut_off_last_line_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    assert read_metrics(path) == []
    path.write_text('{"step": 10, "loss": 2.5}\n{"step": 20, "lo')
    assert read_metrics(path) == [{"step": 10, "loss": 2.5}]


def test_a_damaged_line_before_the_last_is_named(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"step": 10}\n{"step": 1\n{"step": 30}\n')
    with pytest.raises(MetricsLogError, match=rf"{path}, line 2: damaged: '\{{\"step\": 1'"):
        read_metrics(path)


def test_a_restarted_log_drops_what_came_after_the_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"step": 10, "loss": 2.5}\n{"step": 15, "validation_loss": 2}\n{"step": 20, "loss": 2.0}\n{"st')
    log = MetricsLog(path, 15)
    kept = [{"step": 10, "loss": 2.5}, {"step": 15, "validation_loss": 2}]
    assert read_metrics(path) == kept == log.rows
    log.write(step=20, loss=1.5)
    assert read_metrics(path) == [*kept, {"step": 20, "loss": 1.5}] == log.rows


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    log = MetricsLog(tmp_path / "metrics.jsonl", 0)
    log.path = Path("/dev/full")
    with pytest.raises(MetricsLogError, match=r"/dev/full: step 10 could not be written .*No space left"):
        log.write(step=10, loss=1.0)


def test_a_row_is_the_mean_and_the_largest_and_the_sum_over_its_steps() -> None:
    tally = Tally()
    for loss, norm, rate, seconds in ((2.0, 0.5, 0.1, 0.25), (1.0, 0.75, 0.2, 0.5), (0.0, 0.25, 0.3, 0.25)):
        tally = tally.after(loss, norm, rate, tokens=60, padded=80, flops=3e12, seconds=seconds)
    row = {"loss": 1.0, "learning_rate": 0.3, "gradient_norm": 0.75, "tokens": 180, "padding": 0.25}
    assert tally.row() == {**row, "tokens_a_second": 180}
    assert tally.row(peak=20e12) == {**row, "tokens_a_second": 180, "share_of_peak": 0.45}  # 9 of 20 in a second
