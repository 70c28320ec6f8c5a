"""The templates of the queries: a yaml file that users can edit, checked line by line."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from eg3p_lib.relations import RELATIONS
from eg3p_lib.yaml_lines import yaml_pairs, yaml_root
from workbench_lib.errors import InputError
from workbench_lib.paths import find_data

_DATA = Path(__file__).resolve().parent / "data"
DEFAULT = _DATA / "templates.yaml"
VERBATIM = _DATA / "verbatim_templates.yaml"
_SLOT = re.compile(r"\b([XY])\b")
_SLOTS = {"statements": ["X", "Y"], "questions": ["X"]}


@dataclass(frozen=True)
class Templates:
    """For each of the 16 relations its statements (slots X, the head, and Y, the tail) and its question predicates.

    A question predicate has the slot X and says what the hidden tail is or does: `is caused by X`. Where there are no
    questions, queries are made of the statements alone, as in the paper's Table 4.
    """

    statements: Mapping[str, tuple[str, ...]]
    questions: Mapping[str, tuple[str, ...]]


def fill(template: str, head: str, tail: str = "") -> str:
    """A template with its slots filled.

    >>> fill("X is used to make Y", "flour", "bread")
    'flour is used to make bread'
    """
    return _SLOT.sub(lambda slot: head if slot.group() == "X" else tail, template)


def split_template(template: str) -> list[str]:
    """A template's parts: text and slots by turns, the text perhaps empty.

    >>> split_template("X is used to make Y")
    ['', 'X', ' is used to make ', 'Y', '']
    """
    return _SLOT.split(template)


def template_fault(part: str, template: str) -> str:
    """What is wrong with one of the `statements` or `questions`; empty when nothing is.

    >>> template_fault("questions", "is used to make X"), template_fault("questions", "is used for this")
    ('', 'each of the questions needs X exactly once, and no Y')
    """
    if "[SEP]" in template:
        return "a template must not hold [SEP], which separates the parts of an input"
    if sorted(_SLOT.findall(template)) == _SLOTS[part]:
        return ""
    needed = " and ".join(_SLOTS[part])
    return f"each of the {part} needs {needed} exactly once" + (", and no Y" if part == "questions" else "")


def templates_path(name: str) -> Path:
    """The file of templates: `default`, `verbatim` (the paper's own), or one found here or under WORKBENCH_DATA."""
    built_in = {"default": DEFAULT, "verbatim": VERBATIM}
    return built_in[name] if name in built_in else find_data(name)


def load_templates(path: Path = DEFAULT) -> Templates:
    """Read a file of templates.

    Raises:
        InputError: the file is missing or no yaml; a relation is unknown, repeated or missing (all questions may be);
            a slot is missing or comes twice. Says where.

    >>> load_templates().statements["madeof"][0]
    'X is made of Y'
    """
    parts: dict[str, dict[str, tuple[str, ...]]] = {name: {} for name in _SLOTS}
    for relation, body, line in yaml_pairs(yaml_root(path), path):
        if relation not in RELATIONS:
            raise InputError("unknown relation", path=path, line=line, value=relation)
        for part, texts, part_line in yaml_pairs(body, path):
            if part not in parts:
                raise InputError("only 'statements' and 'questions' belong here", path=path, line=part_line, value=part)
            parts[part][relation] = _texts(texts, part, path)
    for part, known in parts.items():
        for relation in RELATIONS:
            if relation not in known and (known or part == "statements"):
                raise InputError(f"the relation {relation!r} has no {part}", path=path)
    return Templates(parts["statements"], parts["questions"])


def _texts(node: yaml.Node, part: str, path: Path) -> tuple[str, ...]:
    if not isinstance(node, yaml.SequenceNode) or not node.value:
        raise InputError(f"needs a list of {part}", path=path, line=node.start_mark.line + 1)
    for item in node.value:
        if fault := template_fault(part, item.value if isinstance(item, yaml.ScalarNode) else ""):
            raise InputError(fault, path=path, line=item.start_mark.line + 1, value=item.value)
    return tuple(" ".join(item.value.split()) for item in node.value)
