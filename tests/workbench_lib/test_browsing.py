"""Going through a corpus for rows: in order, as far as it takes, and no further."""

from __future__ import annotations

from pathlib import Path

import pyarrow.compute as pc
import pytest
from workbench_toys import ToyGenerator

from workbench_lib.browsing import Scan, all_of
from workbench_lib.corpus import Corpus, CorpusError, build_corpus


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    """Ten shards of ten units each, of which some are rejected."""
    return build_corpus(tmp_path / "corpus", ToyGenerator(), 100, units_a_shard=10)


def ids(corpus: Corpus) -> list[int]:
    numbers: list[int] = corpus.head(1000)["id"].to_pylist()
    return numbers


def test_rows_come_in_order_a_few_at_a_time_until_the_end(corpus: Corpus) -> None:
    scan, taken = Scan(corpus), []
    while not scan.is_over:
        page = scan.take(7)
        assert 0 < len(page) <= 7
        taken += list(page["id"])
    assert taken == ids(corpus)
    assert len(scan.take(7)) == 0


def test_only_what_is_needed_is_read(corpus: Corpus) -> None:
    scan = Scan(corpus, ["id"])
    frame = scan.take(3)
    assert list(frame.columns) == ["id"]
    assert scan.looked_at == len(corpus.head(1000).filter(pc.field("id") < 10))  # the first shard


def test_a_condition_holds_for_every_row_and_skips_none(corpus: Corpus) -> None:
    scan, taken = Scan(corpus, condition=pc.field("split") == "validation"), []
    while not scan.is_over:
        taken += list(scan.take(2)["id"])
    assert taken == [i for i in ids(corpus) if i % 5 == 0]


def test_a_search_for_what_is_rare_comes_back_and_goes_on(corpus: Corpus) -> None:
    last = ids(corpus)[-1]
    scan = Scan(corpus, condition=pc.field("id") == last)
    first = scan.take(1, rows_to_look_at=20)
    assert len(first) == 0
    assert list(first.columns) == ["id", "source", "target", "split"]
    assert 20 <= scan.looked_at < len(corpus)
    assert not scan.is_over
    assert list(scan.take(1)["id"]) == [last]
    assert scan.is_over


def test_conditions_are_joined() -> None:
    assert all_of([]) is None
    both = all_of([pc.field("a") == 1, pc.field("b") == 2])
    assert both is not None
    assert both.equals((pc.field("a") == 1) & (pc.field("b") == 2))


def test_missing_rows_are_an_error(corpus: Corpus) -> None:
    corpus.manifest.shards.pop()
    with pytest.raises(CorpusError, match="holds fewer rows than its manifest says"):
        Scan(corpus).take(1000)
