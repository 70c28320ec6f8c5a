"""What became of every line: kept, or counted by the reason why not; and which lines were malformed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from workbench_lib.errors import InputError

FAULTS_TOLD = 5
_FAULTS_BORNE = 10
_SHARE_BORNE = 0.01


@dataclass(frozen=True)
class SourceCounts:
    """What became of the lines of one source: `kept + sum(skipped) == lines`; the first malformed ones are told.

    >>> counts = SourceCounts(3, 2, {"blank": 1}).leave_out({"duplicate": 1})
    >>> counts.kept, dict(counts.skipped)
    (1, {'blank': 1, 'duplicate': 1})
    """

    lines: int = 0
    kept: int = 0
    skipped: Mapping[str, int] = field(default_factory=dict)
    faults: tuple[str, ...] = ()

    def leave_out(self, reasons: Mapping[str, int]) -> SourceCounts:
        """The counts when, of what was kept, so many triples are left out for these reasons."""
        return SourceCounts(
            self.lines, self.kept - sum(reasons.values()), add_reasons([self.skipped, reasons]), self.faults
        )

    def __add__(self, other: SourceCounts) -> SourceCounts:
        return SourceCounts(
            self.lines + other.lines,
            self.kept + other.kept,
            add_reasons([self.skipped, other.skipped]),
            (self.faults + other.faults)[:FAULTS_TOLD],
        )


def add_reasons(several: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """The sums of counts by reason, in the order of the reasons' names, without zeros.

    >>> add_reasons([{"blank": 1, "negative": 0}, {"blank": 2}])
    {'blank': 3}
    """
    total: Counter[str] = Counter()
    for reasons in several:
        total.update(reasons)
    return {reason: total[reason] for reason in sorted(total) if total[reason]}


@dataclass
class Faults:
    """The malformed lines (or rows) of one source.

    Args:
        source: How errors call it.
        unit: What its parts are called: line or row.
    """

    source: str
    unit: str = "line"
    number: int = 0
    first: list[tuple[int, str, object]] = field(default_factory=list)

    def add(self, place: int, error: ValueError, value: object) -> None:
        """Note that the line or row number `place` is malformed."""
        self.number += 1
        if len(self.first) < FAULTS_TOLD:
            self.first.append((place, str(error), value))

    def told(self) -> tuple[str, ...]:
        """The first of them, such as `line 2: needs 3 columns, found 2: 'isa\\\\tdog'`."""
        return tuple(
            str(InputError(message, path=f"{self.unit} {place}", value=value)) for place, message, value in self.first
        )

    def check(self, total: int) -> None:
        """Some faults are borne in large files; more than 10 that are more than 1 % of `total` are not.

        Raises:
            InputError: names the first malformed line.
        """
        if self.number > max(_FAULTS_BORNE, _SHARE_BORNE * total):
            place, message, value = self.first[0]
            where = f"{self.source}, {self.unit} {place}"
            raise InputError(
                f"{message} ({self.number} of {total} {self.unit}s are malformed)", path=where, value=value
            )
