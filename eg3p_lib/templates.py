"""The templates of the queries: a yaml file that users can edit, checked line by line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import yaml

from eg3p_lib.relations import RELATIONS
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
    for relation, body, line in _pairs(_root(path), path):
        if relation not in RELATIONS:
            raise InputError("unknown relation", path=path, line=line, value=relation)
        for part, texts, part_line in _pairs(body, path):
            if part not in parts:
                raise InputError("only 'statements' and 'questions' belong here", path=path, line=part_line, value=part)
            parts[part][relation] = _texts(texts, part, path)
    for part, known in parts.items():
        for relation in RELATIONS:
            if relation not in known and (known or part == "statements"):
                raise InputError(f"the relation {relation!r} has no {part}", path=path)
    return Templates(parts["statements"], parts["questions"])


def _root(path: Path) -> yaml.Node:
    try:
        root = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", path=path) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError(f"not yaml: {' '.join(str(error).split())}", path=path) from None
    if root is None:
        raise InputError("the file is empty", path=path)
    return root


def _pairs(node: yaml.Node, path: Path) -> Iterator[tuple[str, yaml.Node, int]]:
    """The names, values and lines of a mapping, each name once."""
    if not isinstance(node, yaml.MappingNode):
        raise InputError("needs `name:` lines here", path=path, line=node.start_mark.line + 1)
    seen: set[str] = set()
    for key, value in node.value:
        line = key.start_mark.line + 1
        if key.value in seen:
            raise InputError("comes twice", path=path, line=line, value=key.value)
        seen.add(key.value)
        yield key.value, value, line


def _texts(node: yaml.Node, part: str, path: Path) -> tuple[str, ...]:
    if not isinstance(node, yaml.SequenceNode) or not node.value:
        raise InputError(f"needs a list of {part}", path=path, line=node.start_mark.line + 1)
    for item in node.value:
        slots = sorted(_SLOT.findall(item.value)) if isinstance(item, yaml.ScalarNode) else []
        if slots != _SLOTS[part]:
            needed = " and ".join(_SLOTS[part])
            message = f"each of the {part} needs {needed} exactly once" + (", and no Y" if part == "questions" else "")
            raise InputError(message, path=path, line=item.start_mark.line + 1, value=item.value)
    return tuple(" ".join(item.value.split()) for item in node.value)
