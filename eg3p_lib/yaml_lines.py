"""Yaml files that users edit, read node by node, so that each fault is named with its line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml

from workbench_lib.errors import InputError


def yaml_root(path: Path) -> yaml.Node:
    """The file's root node.

    Raises:
        InputError: the file is missing, empty or no yaml.
    """
    try:
        root = yaml.compose(path.read_text(encoding="utf-8"), Loader=yaml.SafeLoader)
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", path=path) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError(f"not yaml: {' '.join(str(error).split())}", path=path) from None
    if root is None:
        raise InputError("the file is empty", path=path)
    return root


def yaml_pairs(node: yaml.Node, path: Path) -> Iterator[tuple[str, yaml.Node, int]]:
    """The names, values and lines of a mapping, each name once.

    Raises:
        InputError: the node is no mapping, or a name comes twice.
    """
    if not isinstance(node, yaml.MappingNode):
        raise InputError("needs `name:` lines here", path=path, line=node.start_mark.line + 1)
    seen: set[str] = set()
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise InputError("the name is no text", path=path, line=line)
        if key.value in seen:
            raise InputError("comes twice", path=path, line=line, value=key.value)
        seen.add(key.value)
        yield key.value, value, line
