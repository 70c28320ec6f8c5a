"""From source files to a knowledge base: every line is kept, or counted under the reason why it is not."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from eg3p_lib.builder import KnowledgeBuilder
from eg3p_lib.counts import Faults
from eg3p_lib.merges import MERGES, Merged
from eg3p_lib.readers import LineError, decode_line, details_of_number, detect_layout, open_raw_lines
from eg3p_lib.relations import RELATIONS
from eg3p_lib.rules import Record, Rules, judge, judge_fields
from eg3p_lib.store import KnowledgeBase, KnowledgeError, Triple, is_knowledge_file
from eg3p_lib.wordnet import is_wordnet_file, wordnet_pointers
from workbench_lib.paths import data_root, find_files

__all__ = ["KnowledgeBase", "KnowledgeError", "Triple", "read_knowledge", "resolve_sources", "starter_knowledge"]

DATA = Path(__file__).resolve().parent / "data"
STARTER = DATA / "starter_knowledge.tsv"

_LINES_TO_DETECT = 20


def read_knowledge(
    paths: Iterable[Path],
    *,
    language: str = "en",
    min_weight: float = 0.0,
    relations: Collection[str] = RELATIONS,
    merges: Mapping[str, Merged] = MERGES,
) -> KnowledgeBase:
    """Read triples of any known format, or of a saved knowledge base, into one knowledge base.

    Reasons for leaving a line out, the first that holds: blank, malformed (columns, UTF-8), external_url,
    not_conceptnet, other_language, empty_term, self_loop, unmapped_relation, unwanted_relation, malformed (weight),
    negative (label 0 or a negative weight), low_weight, separator (a term holds ` : ` or ` | `), duplicate. Where a
    triple comes twice, the first one's source, dataset and senses and the largest weight stay. Of a saved knowledge
    base, whose relations are the 16 already, the sources and their counts are taken over. In the files of WordNet the
    pointers from synset to synset are judged and counted, not the lines.

    Args:
        paths: Files, plain or gzip, each in its own format, which its first lines tell.
        language, min_weight, relations, merges: What is kept; see `Rules`.

    Raises:
        InputError: a file is missing, empty or in no known format, or too many of its lines are malformed (more
            than 10 and more than 1 %).
        KnowledgeError: nothing was kept, or a saved knowledge base is in another language.
    """
    paths = list(paths)
    rules = Rules(language, min_weight, relations, merges)
    if len(paths) == 1 and is_knowledge_file(paths[0]):
        return _load(paths[0], rules)
    builder = KnowledgeBuilder()
    for path in paths:
        if is_knowledge_file(path):
            builder.add_saved(_load(path, rules))
        else:
            _check_name(path, paths)
            faults = Faults(str(path))
            judged = _judged_pointers(path, rules) if is_wordnet_file(path) else _judged_lines(path, rules, faults)
            builder.add_source(source_name(path), judged, faults)
    return builder.finish(language)


def starter_knowledge() -> KnowledgeBase:
    """The built-in knowledge base, written for this project."""
    return read_knowledge([STARTER])


def resolve_sources(names: Sequence[str]) -> list[Path]:
    """The files that source names stand for: "starter", paths, or glob patterns, here or under WORKBENCH_DATA.

    Raises:
        KnowledgeError: no names, or one that stands for no file; says where it was looked for.

    >>> [path.name for path in resolve_sources(["starter"])]
    ['starter_knowledge.tsv']
    """
    if not names:
        raise KnowledgeError("no knowledge source is named")
    found = [path for name in names for path in ([STARTER] if name == "starter" else _files_of(name))]
    return list(dict.fromkeys(found))


def _files_of(name: str) -> list[Path]:
    if files := find_files(name):
        return files
    root = data_root()
    if any(place.is_dir() for place in [Path(name), *([] if root is None else [root / name])]):
        raise KnowledgeError(f"knowledge source {name!r} is a folder; name its files, such as {name}/*.csv")
    where = "here, and WORKBENCH_DATA is not set" if root is None else f"here or under WORKBENCH_DATA={root}"
    raise KnowledgeError(f"knowledge source {name!r}: no such file {where}")


def source_name(path: Path) -> str:
    """How a file is called in a knowledge base: its folder's and its own name."""
    return f"{path.resolve().parent.name}/{path.name}"


def _check_name(path: Path, paths: Sequence[Path]) -> None:
    if [source_name(other) for other in paths].count(source_name(path)) > 1:
        raise KnowledgeError(f"two sources are called {source_name(path)!r}; rename one")


def _load(path: Path, rules: Rules) -> KnowledgeBase:
    """A saved knowledge base without what the rules do not want."""
    saved = KnowledgeBase.load(path)
    if saved.language != rules.language:
        raise KnowledgeError(f"{path}: holds the language {saved.language!r}, not {rules.language!r}")
    unwanted = [number for number, relation in enumerate(RELATIONS) if relation not in rules.relations]
    low = saved.table["weight"].to_numpy() < rules.min_weight
    return saved.without({"unwanted_relation": np.isin(saved.relation, unwanted), "low_weight": low})


def _judged_lines(path: Path, rules: Rules, faults: Faults) -> Iterator[Record | str]:
    """For each line the record that it gives, or the reason why it gives none."""
    with open_raw_lines(path) as lines:
        first = list(itertools.islice(lines, _LINES_TO_DETECT))
        layout = detect_layout([raw.decode("utf-8", "replace").rstrip("\r\n") for _, raw in first], path)
        number = 0
        for number, raw in itertools.islice(itertools.chain(first, lines), layout.header, None):
            try:
                verdict: Record | str = judge(decode_line(raw), layout, rules)
            except LineError as error:
                faults.add(number, error, raw.decode("utf-8", "replace").rstrip("\r\n"))
                verdict = "malformed"
            yield verdict
        faults.check(number - layout.header)


def _judged_pointers(path: Path, rules: Rules) -> Iterator[Record | str]:
    """The same for each pointer of a file of WordNet, which are what is counted there."""
    for pointer in wordnet_pointers(path):
        yield pointer if isinstance(pointer, str) else judge_fields(pointer, rules, details_of_number)
