"""The text formats that triples come in: which one a file is in, and the fields of its lines."""

from __future__ import annotations

import gzip
import io
import json
import math
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple, NoReturn

from tqdm import tqdm

from workbench_lib.errors import InputError

_STORY_LINE = re.compile(r"^(?P<head>\S.*?) (?P<relation>/r/\S+) (?P<tail>.*\S)$")
_ALIGNED = re.compile(r"\+(?=/c/|[a-z]{2}:)")
_DATASETS = ("datasource", "source")
_UTF8_MARK = b"\xef\xbb\xbf"
_BUFFER_BYTES = 1 << 20
_BAR_FROM_BYTES = 8 << 20
_BAR_EVERY_LINES = 4096


class LineError(ValueError):
    """What is wrong with one line or row."""


class Fields(NamedTuple):
    """The raw fields of one line; the senses are those that stand in columns of their own, not in the terms."""

    relation: str
    head: str
    tail: str
    weight: str = ""
    dataset: str = ""
    head_sense: str = ""
    tail_sense: str = ""


class Details(NamedTuple):
    """What is read of a line only once its terms and relation are wanted."""

    weight: float
    dataset: str


@dataclass(frozen=True)
class Layout:
    """A format: how a line is split, what its weight field says, the lines before the first triple,
    and whether every term must be a URI."""

    name: str
    split: Callable[[str], Fields]
    details: Callable[[Fields], Details]
    header: int = 0
    only_uris: bool = False


@contextmanager
def open_lines(path: Path) -> Iterator[Iterator[tuple[int, str]]]:
    """The numbered lines of a plain or gzip file, streamed; only `\\n` ends a line, and one `\\r` before it is dropped.

    Raises:
        InputError: the file is missing, empty, truncated, or not UTF-8 (with the line).
    """
    with open_raw_lines(path) as lines:
        yield _decoded(lines, path)


@contextmanager
def open_raw_lines(path: Path) -> Iterator[Iterator[tuple[int, bytes]]]:
    """As `open_lines`, but not decoded; large files show a progress bar. A mark at the beginning (BOM) is dropped.

    Raises:
        InputError: the file is missing, empty or truncated.
    """
    if not path.is_file():
        raise InputError("is a folder, not a file" if path.is_dir() else "no such file", path=path)
    size = path.stat().st_size
    with path.open("rb") as file:
        packed = file.peek(2)[:2] == b"\x1f\x8b"
        stream: BinaryIO = io.BufferedReader(gzip.GzipFile(fileobj=file), _BUFFER_BYTES) if packed else file
        with tqdm(desc=path.name, unit=" lines", unit_scale=True, mininterval=5, disable=size < _BAR_FROM_BYTES) as bar:
            yield _with_bar(_numbered(stream, path), bar, lambda: file.tell() / size)


def _numbered(stream: BinaryIO, path: Path) -> Iterator[tuple[int, bytes]]:
    number = 0
    try:
        for number, raw in enumerate(stream, start=1):
            yield number, raw.removeprefix(_UTF8_MARK) if number == 1 else raw
    except (EOFError, OSError, zlib.error) as error:
        raise InputError(f"cannot be unpacked after line {number} ({error})", path=path) from None
    if number == 0:
        raise InputError("the file is empty", path=path)


def _with_bar(
    lines: Iterable[tuple[int, bytes]], bar: tqdm[NoReturn], share: Callable[[], float]
) -> Iterator[tuple[int, bytes]]:
    """The lines as they are; the bar counts them, and says what share of the file's bytes has been read."""
    number = 0
    for number, raw in lines:
        if number % _BAR_EVERY_LINES == 0:
            bar.set_postfix_str(f"{share():.0%} of the file", refresh=False)
            bar.update(_BAR_EVERY_LINES)
        yield number, raw
    bar.update(number % _BAR_EVERY_LINES)


def decode_line(raw: bytes) -> str:
    """A line's text without its end.

    Raises:
        LineError: it is not UTF-8.
    """
    try:
        return raw.decode("utf-8").removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError:
        raise LineError("is not UTF-8") from None


def _decoded(lines: Iterable[tuple[int, bytes]], path: Path) -> Iterator[tuple[int, str]]:
    for number, raw in lines:
        try:
            yield number, decode_line(raw)
        except LineError as error:
            raise InputError(str(error), path=path, line=number, value=raw[:60]) from None


def detect_layout(lines: list[str], path: Path) -> Layout:
    """The format of a file, from its first lines.

    Raises:
        InputError: they look like none of the formats.
    """
    number, first = next(((n, line) for n, line in enumerate(lines, 1) if line.strip()), (1, ""))
    columns = first.split("\t")
    if first.startswith("/a/["):
        return Layout("conceptnet-csv", _split_assertion, _details_of_json, only_uris=True)
    if {"node1", "node2"} <= set(columns):
        return _graph_layout(columns, number, path)
    if len(columns) == 1 and _STORY_LINE.match(first):
        return Layout("head-relation-tail", _split_story, details_of_number)
    if len(columns) in (3, 4):
        return Layout("tab-separated", _split_list, details_of_number)
    formats = "tab-separated relation, head, tail; conceptnet-assertions csv; CSKG tsv; `head /r/Relation tail`"
    message = f"is in no known format of triples ({formats}): found {len(columns)} tab-separated columns"
    raise InputError(message, path=path, line=number, value=first)


def _split_list(line: str) -> Fields:
    columns = line.split("\t")
    if len(columns) not in (3, 4):
        raise LineError(f"needs 3 or 4 tab-separated columns (relation, head, tail, weight), found {len(columns)}")
    return Fields(*columns)


def _split_assertion(line: str) -> Fields:
    columns = line.split("\t")
    if len(columns) != 5:
        raise LineError(f"needs the 5 tab-separated columns of conceptnet-assertions, found {len(columns)}")
    return Fields(*columns[1:])


def _split_story(line: str) -> Fields:
    match = _STORY_LINE.match(line.strip())
    if not match:
        raise LineError("needs `head /r/Relation tail`")
    return Fields(match["relation"], match["head"], match["tail"])


def _graph_layout(header: list[str], number: int, path: Path) -> Layout:
    """CSKG and other KGTK edge files: columns by name, in any order."""
    relation, weight, dataset = (_place(header, *names) for names in (("label", "relation"), ("weight",), _DATASETS))
    if relation is None:
        message = "the header needs a column 'label' or 'relation' beside 'node1' and 'node2'"
        raise InputError(message, path=path, line=number, value="\t".join(header))
    places = [relation, header.index("node1"), header.index("node2")]

    def split(line: str) -> Fields:
        columns = line.split("\t")
        if len(columns) != len(header):
            raise LineError(f"needs the header's {len(header)} columns, found {len(columns)}")
        label, head, tail = (columns[place] for place in places)
        extra = ("" if place is None else columns[place] for place in (weight, dataset))
        return Fields(label, _conceptnet_node(head), _conceptnet_node(tail), *extra)

    return Layout("kgtk-tsv", split, details_of_number, header=number, only_uris=True)


def _place(header: list[str], *names: str) -> int | None:
    """Where the first of the names stands that is there."""
    return next((header.index(name) for name in names if name in header), None)


def _conceptnet_node(node: str) -> str:
    """ConceptNet's own id of a CSKG node, which joins the ids of several sources by `+`."""
    return next((part for part in _ALIGNED.split(node) if part.startswith("/c/")), node)


def details_of_number(fields: Fields) -> Details:
    """A weight, or a label 1 or 0; 1 where there is none.

    Raises:
        LineError: the weight is not a number.
    """
    try:
        weight = float(fields.weight) if fields.weight.strip() else 1.0
    except ValueError:
        weight = math.nan
    if not math.isfinite(weight):
        raise LineError(f"the weight {fields.weight!r} is not a number")
    return Details(weight, fields.dataset)


def _details_of_json(fields: Fields) -> Details:
    """The weight and the dataset in the last column of conceptnet-assertions."""
    try:
        info = json.loads(fields.weight)
        weight = float(info.get("weight", 1.0))
    except (ValueError, TypeError, AttributeError):
        raise LineError("the last column is not a JSON object with a number 'weight'") from None
    if not math.isfinite(weight):
        raise LineError(f"the weight {weight} is not a number")
    return Details(weight, str(info.get("dataset", "")))
