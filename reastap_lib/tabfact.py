"""The official files of TabFact: statements about tables, entailed or refuted (Chen et al. 2020).

There are two variants of the statements, and their sizes differ, since the authors' own preprocessing leaves some out:
`tokenized` (tokenized_data/, lemmatised, what published numbers are about) and `collected` (collected_data/, as
written, split by the lists of ids). Where a release has no file of training statements (tokenized_data/
train_examples.json is too large for some copies), its pairs of true and false statements are taken: `pairwise`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from reastap_lib.csv_tables import read_table
from reastap_lib.json_files import read_json
from reastap_lib.tables import Table
from workbench_lib.errors import InputError
from workbench_lib.paths import find_data
from workbench_lib.tasks import Split

STARTER = "starter"
STARTER_FOLDER = Path(__file__).resolve().parent / "data" / "starter_tabfact"
LABELS = ("refuted", "entailed")
CHANNELS = ("simple", "complex")
SIZES: dict[str, dict[Split, int]] = {
    "tokenized": {"train": 92283, "dev": 12792, "test": 12779},
    "collected": {"train": 92585, "dev": 12851, "test": 12839},
}
_NAMES: dict[Split, str] = {"train": "train", "dev": "val", "test": "test"}
_SUFFIX = "_examples.json"
_COLLECTED = {"simple": "r1_training_all.json", "complex": "r2_training_all.json"}
_PAIRS = "all_positive_negative_pairs.json"


@dataclass(frozen=True)
class Statement:
    """One statement.

    Args:
        id: Its number in its split, from 0 on, as in published predictions.
        channel: "simple" or "complex", by how it was collected; empty where the lists do not say.
        is_small: Whether its table is one of the small test set's.
    """

    id: str
    text: str
    is_entailed: bool
    table_id: str
    caption: str
    channel: str
    is_small: bool


class Statements(NamedTuple):
    """The statements of a split, and which variant and release they are of."""

    variant: str
    split: Split
    root: Path
    entries: list[Statement]

    @property
    def whole(self) -> int | None:
        """How many the whole split holds (the paper's size), where that is known."""
        return SIZES.get(self.variant, {}).get(self.split)

    def __str__(self) -> str:
        tables = len({entry.table_id for entry in self.entries})
        told = f"tabfact {self.split}: {len(self.entries):,} statements about {tables:,} tables, variant {self.variant}"
        is_whole = self.whole in (None, len(self.entries))
        return told if is_whole else f"{told}; NOT the whole split, which has {self.whole:,} in the paper"


def read_split(data: str, split: Split) -> Statements:
    """The statements of a split.

    Args:
        data: starter (built in), or the folder of a release, as given or under WORKBENCH_DATA; or its folder
            tokenized_data or collected_data, where both are there and the second is meant.

    Raises:
        InputError: no variant has the split, or a file is not as it should be.
    """
    folder = STARTER_FOLDER if data == STARTER else find_data(data)
    named = folder.name.removesuffix("_data")
    root, variants = (folder.parent, [named]) if named in _READERS else (folder, list(_READERS))
    for variant in variants:
        files, read = _READERS[variant]
        if all((root / file.format(_NAMES[split])).exists() for file in files):
            name = STARTER if data == STARTER else variant
            return Statements(name, split, root, _numbered(read(root, split), root, split))
    looked = ", ".join(file.format(_NAMES[split]) for variant in variants for file in _READERS[variant][0])
    raise InputError(f"no statements for the split {split!r}: looked for {looked}", path=root)


def read_file(path: Path) -> Statements:
    """The statements of a file such as tokenized_data/test_examples.json.

    Raises:
        InputError: its name is none of the release's, or it is not as it should be.
    """
    splits = {f"{name}{_SUFFIX}": split for split, name in _NAMES.items()}
    if path.name not in splits:
        raise InputError(f"must be one of {', '.join(splits)}", path=path)
    split, root = splits[path.name], path.resolve().parent.parent
    return Statements("tokenized", split, root, _numbered(_examples(path), root, split))


@lru_cache(maxsize=4096)
def csv_table(path: Path) -> Table:
    """The table of a file of all_csv/.

    Raises:
        InputError: it is missing or holds no table.
    """
    table = read_table(path, "tabfact")
    if not isinstance(table, Table):
        raise InputError(f"no table: {table}", path=path)
    return table


def label_of(text: str) -> str | None:
    """The label that a prediction names: refuted or entailed, or its number 0 or 1; None for all else.

    >>> label_of("1"), label_of("Refuted "), label_of("maybe")
    ('entailed', 'refuted', None)
    """
    plain = text.strip().lower()
    return LABELS[int(plain)] if plain in ("0", "1") else plain if plain in LABELS else None


# --- the variants ------------------------------------------------------------------------------------------------


class _Raw(NamedTuple):
    table_id: str
    text: str
    label: int
    caption: str
    channel: str


def _tokenized(root: Path, split: Split) -> Iterator[_Raw]:
    return _examples(root / "tokenized_data" / f"{_NAMES[split]}{_SUFFIX}")


def _examples(path: Path) -> Iterator[_Raw]:
    return (raw for table_id, entry in _entries(path).items() for raw in _of_table(table_id, entry, path, ""))


def _collected(root: Path, split: Split) -> Iterator[_Raw]:
    files = {channel: root / "collected_data" / name for channel, name in _COLLECTED.items()}
    entries = {channel: _entries(path) for channel, path in files.items()}
    for table_id in read_json(_ids(root, split)):
        for channel in CHANNELS:
            if table_id in entries[channel]:
                yield from _of_table(table_id, entries[channel][table_id], files[channel], channel)


def _pairwise(root: Path, split: Split) -> Iterator[_Raw]:
    path, wanted = root / "pairwise_data" / _PAIRS, frozenset(read_json(_ids(root, split)))
    for number, pair in enumerate(read_json(path), 1):
        try:
            table_id, true, false = map(str, pair)
        except (TypeError, ValueError):
            raise InputError(f"pair {number} needs a table and two statements", path=path, value=pair) from None
        if table_id in wanted:
            yield _Raw(table_id, true, 1, "", "")
            yield _Raw(table_id, false, 0, "", "")


def _of_table(table_id: str, entry: Any, path: Path, channel: str) -> Iterator[_Raw]:
    try:
        texts, labels, caption = entry
        pairs = list(zip(texts, labels, strict=True))
    except (TypeError, ValueError):
        raise InputError("needs statements, as many labels, and a caption", path=path, value=table_id) from None
    for text, label in pairs:
        if label not in (0, 1) or not isinstance(text, str):
            raise InputError(f"{table_id}: no statement with a label of 0 or 1", path=path, value=[text, label])
        yield _Raw(table_id, text, label, str(caption), channel)


_READERS = {
    "tokenized": (["tokenized_data/{}" + _SUFFIX], _tokenized),
    "collected": ([f"collected_data/{name}" for name in _COLLECTED.values()] + ["data/{}_id.json"], _collected),
    "pairwise": ([f"pairwise_data/{_PAIRS}", "data/{}_id.json"], _pairwise),
}


# --- helpers -----------------------------------------------------------------------------------------------------


def _numbered(raws: Iterable[_Raw], root: Path, split: Split) -> list[Statement]:
    channels, small = _channels(root, split), _listed(root, "small_test_id.json")
    found = [
        Statement(
            id=str(number),
            text=raw.text,
            is_entailed=raw.label == 1,
            table_id=raw.table_id,
            caption=raw.caption,
            channel=raw.channel or channels.get(raw.table_id, ""),
            is_small=split == "test" and raw.table_id in small,
        )
        for number, raw in enumerate(raws)
    ]
    if not found:
        raise InputError(f"no statements for the split {split!r}", path=root)
    return found


def _channels(root: Path, split: Split) -> dict[str, str]:
    """The channel of each table, by the lists for all splits and those for the test split."""
    names = ["ids.json", *(["test_id.json"] if split == "test" else [])]
    lists = [(channel, _listed(root, f"{channel}_{name}")) for channel in CHANNELS for name in names]
    channels = {table_id: channel for channel, ids in lists for table_id in ids}
    both = [table_id for channel, ids in lists for table_id in ids if channels[table_id] != channel]
    if both:
        raise InputError("a table is in the lists of both channels", path=root / "data", value=min(both))
    return channels


def _listed(root: Path, name: str) -> frozenset[str]:
    """The tables of a list; none where there is no such list."""
    path = root / "data" / name
    return frozenset(read_json(path)) if path.exists() else frozenset()


def _ids(root: Path, split: Split) -> Path:
    return root / "data" / f"{_NAMES[split]}_id.json"


def _entries(path: Path) -> dict[str, Any]:
    entries = read_json(path)
    if not isinstance(entries, dict):
        raise InputError("needs one object, with an entry a table", path=path)
    return entries
