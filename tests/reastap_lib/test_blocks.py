from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pytest

from reastap_lib.blocks import BLOCK, BlockMaker, SynthesisError, spread
from reastap_lib.preparation import Prepared
from reastap_lib.skills import TABLE_1, shares
from reastap_lib.table_store import TableStore
from reastap_lib.tables import Table


@dataclass(frozen=True)
class Settings:
    skills: tuple[tuple[str, float], ...] = tuple(shares(TABLE_1).items())
    seed: int = 5
    questions_a_table: int = 16
    max_source_words: int = 350


def films(name: str, rows: int = 12) -> Table:
    """A table that serves all skills."""
    cells = [(f"{name} {i}", f"{1990 + i}", f"{7 * i % 5 + i}.5", "US" if i % 3 else "UK") for i in range(rows)]
    return Table(name, "", ("Film", "Opened", "Gross", "Country"), tuple(cells))


def undated(name: str, rows: int = 12) -> Table:
    table = films(name, rows)
    return Table(name, "", ("Film", "Gross", "Country"), tuple((a, c, d) for a, _, c, d in table.rows))


def prepared(*tables: Table) -> Prepared:
    return Prepared(TableStore.of((table, i) for i, table in enumerate(tables)), Counter())


def test_points_fill_the_square_evenly() -> None:
    points = [spread(i) for i in range(20000)]
    for low in (0.0, 0.216, 0.7):
        inside = [wish for at, wish in points if low <= at < low + 0.1]
        assert abs(len(inside) - 2000) < 10
        assert all(abs(sum(k / 10 <= wish < (k + 1) / 10 for wish in inside) - 200) < 15 for k in range(10))


def test_a_block_holds_its_examples_in_order_with_their_shares() -> None:
    rows, _ = BlockMaker(Settings(), prepared(films("a"), films("b"))).block(3)
    assert [row["example"] for row in rows] == list(range(3 * BLOCK, 4 * BLOCK))
    found = Counter(row["skill"] for row in rows)
    assert all(abs(found[name] / BLOCK - share) < 0.01 for name, share in shares(TABLE_1).items())
    assert len({(row["source"], row["target"]) for row in rows}) == BLOCK


def test_every_table_is_visited_before_one_comes_again() -> None:
    tables = [films(f"f{i}") for i in range(64)]
    maker = BlockMaker(Settings(questions_a_table=16), prepared(*tables))
    rows = [row for number in (0, 1) for row in maker.block(number)[0]]
    assert len({row["table"] for row in rows}) == 64
    assert max(Counter(row["table"] for row in rows).values()) <= 20


def test_the_first_block_of_any_corpus_has_validation_examples() -> None:
    for seed in range(8):
        maker = BlockMaker(Settings(seed=seed), prepared(*[films(f"f{i}") for i in range(200)]))
        splits = Counter(row["split"] for row in maker.block(0)[0])
        assert 0.02 * BLOCK < splits["validation"] < 0.05 * BLOCK


def test_a_table_shown_again_is_shown_in_another_order() -> None:
    maker = BlockMaker(Settings(questions_a_table=32), prepared(films("a")))
    rows = [row for number in range(4) for row in maker.block(number)[0]]
    orders = {row["source"].partition(" [ROW] ")[2] for row in rows}
    assert len(orders) == 4 * BLOCK // 32


def test_a_skill_that_few_tables_serve_asks_those_more() -> None:
    tables = [undated(f"u{i}") for i in range(99)] + [films("dated")]
    rows, _ = BlockMaker(Settings(), prepared(*tables)).block(0)
    assert len(rows) == BLOCK
    dated = [row for row in rows if row["skill"] in ("temporal_comparison", "date_difference")]
    assert len(dated) == pytest.approx(0.202 * BLOCK, abs=3)
    assert {row["table"] for row in dated} == {"dated"}


def test_blocks_do_not_depend_on_one_another() -> None:
    tables = [films("a"), undated("b"), undated("c")]
    one, other = (BlockMaker(Settings(), prepared(*tables)) for _ in range(2))
    other.block(0)
    assert one.block(1) == other.block(1)


def test_a_skill_without_tables_is_named() -> None:
    maker = BlockMaker(Settings(), prepared(undated("a"), undated("b")))
    with pytest.raises(SynthesisError, match="'temporal_comparison' ran short: none of the 2 tables"):
        maker.check()
    with pytest.raises(SynthesisError, match=r"'(?:temporal_comparison|date_difference)' ran short at example \d+"):
        maker.block(0)


def test_orders_of_few_rows_run_out_before_one_comes_again() -> None:
    settings = Settings(skills=(("counting", 1.0),), questions_a_table=2)
    maker = BlockMaker(settings, prepared(films("a", rows=3)))
    with pytest.raises(SynthesisError, match="'counting' ran short"):
        maker.block(0)
