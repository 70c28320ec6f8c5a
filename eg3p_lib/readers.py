"""The text formats that triples come in: which one a file is in, and the fields of its lines."""

from __future__ import annotations

import gzip
import io
import json
import math
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

from workbench_lib.errors import InputError

_STORY_LINE = re.compile(r"^(?P<head>\S.*?) (?P<relation>/r/\S+) (?P<tail>.*\S)$")
_ALIGNED = re.compile(r"\+(?=/c/|[a-z]{2}:)")


class LineError(ValueError):
    """What is wrong with one line; the reader adds the file and the line's number."""


class Fields(NamedTuple):
    """The raw fields of one line; `weight` is still text, and empty where the format has none."""

    relation: str
    head: str
    tail: str
    weight: str


@dataclass(frozen=True)
class Layout:
    """A format: how a line is split, what its weight field says, the lines before the first triple,
    and whether every term must be a URI."""

    name: str
    split: Callable[[str], Fields]
    weigh: Callable[[str], float]
    header: int = 0
    only_uris: bool = False


class Term(NamedTuple):
    """A concept: language (empty where the source does not say), text, and sense such as `n/wn/animal`."""

    language: str
    text: str
    sense: str


def parse_term(raw: str) -> Term:
    """A ConceptNet URI or a plain text as a term: lower-case, spaces for `_`, the sense beside the text.

    >>> parse_term("/c/en/guide_dog/n/wn/animal")
    Term(language='en', text='guide dog', sense='n/wn/animal')
    >>> parse_term(" Guide_dog ").text
    'guide dog'
    """
    language = sense = ""
    if raw.startswith("/c/"):
        _, _, language, raw, *rest = (*raw.split("/", 4), "", "")[:5]
        sense = rest[0]
    return Term(language, " ".join(raw.replace("_", " ").lower().split()), sense)


@contextmanager
def open_lines(path: Path) -> Iterator[Iterator[tuple[int, str]]]:
    """The numbered lines of a plain or gzip file, streamed; only `\\n` ends a line, and one `\\r` before it is dropped.

    Raises:
        InputError: the file is missing, empty, truncated, or not UTF-8 (with the line).
    """
    if not path.is_file():
        raise InputError("is a folder, not a file" if path.is_dir() else "no such file", path=path)
    with path.open("rb") as file:
        packed = file.peek(2)[:2] == b"\x1f\x8b"
        stream: BinaryIO = io.BufferedReader(gzip.GzipFile(fileobj=file)) if packed else file
        yield _numbered(stream, path)


def _numbered(stream: BinaryIO, path: Path) -> Iterator[tuple[int, str]]:
    number = 0
    try:
        for number, raw in enumerate(stream, start=1):
            yield number, raw.decode("utf-8").removesuffix("\n").removesuffix("\r")
    except UnicodeDecodeError as error:
        raise InputError("is not UTF-8", path=path, line=number, value=error.object[:60]) from None
    except (EOFError, OSError, zlib.error) as error:
        raise InputError(f"cannot be unpacked after line {number} ({error})", path=path) from None
    if number == 0:
        raise InputError("the file is empty", path=path)


def detect_layout(lines: list[str], path: Path) -> Layout:
    """The format of a file, from its first lines.

    Raises:
        InputError: they look like none of the formats.
    """
    number, first = next(((n, line) for n, line in enumerate(lines, 1) if line.strip()), (1, ""))
    columns = first.split("\t")
    if first.startswith("/a/["):
        return Layout("conceptnet-csv", _split_assertion, _weight_of_json, only_uris=True)
    if {"node1", "node2"} <= set(columns):
        return _graph_layout(columns, number, path)
    if len(columns) == 1 and _STORY_LINE.match(first):
        return Layout("head-relation-tail", _split_story, _no_weight)
    if len(columns) in (3, 4):
        return Layout("tab-separated", _split_list, _weight_of_number)
    formats = "tab-separated relation, head, tail; conceptnet-assertions csv; CSKG tsv; `head /r/Relation tail`"
    message = f"is in no known format of triples ({formats}): found {len(columns)} tab-separated columns"
    raise InputError(message, path=path, line=number, value=first)


def _split_list(line: str) -> Fields:
    columns = line.split("\t")
    if len(columns) not in (3, 4):
        raise LineError(f"needs 3 or 4 tab-separated columns (relation, head, tail, weight), found {len(columns)}")
    return Fields(columns[0], columns[1], columns[2], columns[3] if len(columns) == 4 else "")


def _split_assertion(line: str) -> Fields:
    columns = line.split("\t")
    if len(columns) != 5:
        raise LineError(f"needs the 5 tab-separated columns of conceptnet-assertions, found {len(columns)}")
    return Fields(*columns[1:])


def _split_story(line: str) -> Fields:
    match = _STORY_LINE.match(line.strip())
    if not match:
        raise LineError("needs `head /r/Relation tail`")
    return Fields(match["relation"], match["head"], match["tail"], "")


def _graph_layout(header: list[str], number: int, path: Path) -> Layout:
    """CSKG and other KGTK edge files: columns by name, in any order."""
    relation = next((name for name in ("label", "relation") if name in header), None)
    if relation is None:
        message = "the header needs a column 'label' or 'relation' beside 'node1' and 'node2'"
        raise InputError(message, path=path, line=number, value="\t".join(header))
    places = [header.index(name) for name in (relation, "node1", "node2")]
    weight = header.index("weight") if "weight" in header else None

    def split(line: str) -> Fields:
        columns = line.split("\t")
        if len(columns) != len(header):
            raise LineError(f"needs the header's {len(header)} columns, found {len(columns)}")
        label, head, tail = (columns[place] for place in places)
        return Fields(label, _conceptnet_node(head), _conceptnet_node(tail), "" if weight is None else columns[weight])

    return Layout("kgtk-tsv", split, _weight_of_number, header=number, only_uris=True)


def _conceptnet_node(node: str) -> str:
    """ConceptNet's own id of a CSKG node, which joins the ids of several sources by `+`."""
    return next((part for part in _ALIGNED.split(node) if part.startswith("/c/")), node)


def _no_weight(text: str) -> float:
    return 1.0


def _weight_of_number(text: str) -> float:
    """A weight, or a label 1 or 0; 1 where there is none."""
    try:
        weight = float(text) if text.strip() else 1.0
    except ValueError:
        raise LineError(f"the weight {text!r} is not a number") from None
    if not math.isfinite(weight):
        raise LineError(f"the weight {text!r} is not a number")
    return weight


def _weight_of_json(text: str) -> float:
    """The weight in the last column of conceptnet-assertions."""
    try:
        weight = float(json.loads(text).get("weight", 1.0))
    except (ValueError, TypeError, AttributeError):
        raise LineError("the last column is not a JSON object with a number 'weight'") from None
    if not math.isfinite(weight):
        raise LineError(f"the weight {weight} is not a number")
    return weight
