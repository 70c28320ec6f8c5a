"""The merge table: which relation of a source becomes which of the paper's 16 (section 4.1); a yaml file to edit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import yaml

from eg3p_lib.relations import RELATION_TEXT, RELATIONS, relation_key
from eg3p_lib.yaml_lines import yaml_pairs, yaml_root
from workbench_lib.errors import InputError
from workbench_lib.paths import find_data

DEFAULT = Path(__file__).resolve().parent / "data" / "merges.yaml"
_SWITCH = {"true": True, "false": False}


class Merged(NamedTuple):
    """What a relation of a source becomes: one of the 16, with head and tail swapped where `reverse`."""

    relation: str
    reverse: bool = False


def merges_path(name: str) -> Path:
    """The file of a merge table: `default` is the built-in one; others are found here or under WORKBENCH_DATA."""
    return DEFAULT if name == "default" else find_data(name)


def load_merges(path: Path = DEFAULT) -> Mapping[str, Merged]:
    """Read a merge table.

    Raises:
        InputError: the file is missing or no yaml, a relation comes twice, or what it becomes is none of the 16.
            Says where.

    >>> load_merges()["HasA"]
    Merged(relation='partof', reverse=True)
    """
    merges: dict[str, Merged] = {}
    keys: set[str] = set()
    for name, body, line in yaml_pairs(yaml_root(path), path):
        if relation_key(name) in keys:
            raise InputError("comes twice", path=path, line=line, value=name)
        keys.add(relation_key(name))
        merges[name] = _merged(body, line, path)
    return MappingProxyType(merges)


def _merged(body: yaml.Node, line: int, path: Path) -> Merged:
    relation, reverse = "", False
    for part, value, part_line in yaml_pairs(body, path):
        text = value.value if isinstance(value, yaml.ScalarNode) else ""
        if part == "relation" and text in RELATIONS:
            relation = text
        elif part == "reverse" and text in _SWITCH:
            reverse = _SWITCH[text]
        else:
            wanted = {"relation": f"one of {', '.join(RELATIONS)}", "reverse": "true or false"}.get(part)
            message = f"{part!r} must be {wanted}" if wanted else "only 'relation' and 'reverse' belong here"
            raise InputError(message, path=path, line=part_line, value=text if wanted else part)
    if not relation:
        raise InputError("needs `relation:`, one of the 16", path=path, line=line)
    return Merged(relation, reverse)


MERGES: Mapping[str, Merged] = load_merges()
"""The built-in table: RelatedTo, SimilarTo, Synonym and the rest are not kept."""


def relation_index(merges: Mapping[str, Merged] = MERGES) -> dict[str, Merged]:
    """What each `relation_key` becomes: the names of the merge table, and the 16 ids and their wordings as they are.

    >>> relation_index()[relation_key("/r/HasA")]
    Merged(relation='partof', reverse=True)
    >>> relation_index()[relation_key("is a")], relation_key("/r/RelatedTo") in relation_index()
    (Merged(relation='isa', reverse=False), False)
    """
    own = {key: Merged(r) for r, text in RELATION_TEXT.items() for key in (r, relation_key(text))}
    return own | {relation_key(name): merged for name, merged in merges.items()}
