"""Validated parameters: presets in `params/`, the models behind them, and the check inside a notebook.

Every notebook names its model in its metadata (`workbench.params: "library.module:Model"`), so that the same model
checks a yaml preset before papermill starts and the injected names inside the kernel.
"""

from __future__ import annotations

import ast
import difflib
import json
import pkgutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Self

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from workbench_lib.errors import WorkbenchError
from workbench_lib.files import sha256_of_json
from workbench_lib.paths import PROJECT

PARAMS_DIR = PROJECT / "params"
NOTEBOOKS_DIR = PROJECT / "notebooks"


class ParameterError(WorkbenchError):
    """A parameter is unknown, missing, or of the wrong type or range."""


class StageParams(BaseModel):
    """The parameters of a stage; its subclasses list them.

    Class attributes:
        stage: The stage's name, the first part of a run's id.
        version: Raised whenever the same parameters would give another result.
        not_in_id: Fields that change how fast a stage runs, not what it makes.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
    stage: ClassVar[str]
    version: ClassVar[int]
    not_in_id: ClassVar[frozenset[str]] = frozenset()

    @property
    def slug(self) -> str:
        """A few readable words for the run's id."""
        return ""

    def identities(self) -> dict[str, Any]:
        """For fields that name something else (a run, a file): what that thing is, for the id."""
        return {}

    def check(self) -> None:
        """Raise what keeps the stage from starting, such as an upstream run that is not finished."""

    def run_id(self) -> str:
        """Stage, slug, and a hash of all that decides the result."""
        decides = {k: v for k, v in self.model_dump(mode="json").items() if k not in self.not_in_id}
        digest = sha256_of_json({**decides, **self.identities(), "stage": self.stage, "version": self.version})
        return "-".join(part for part in (self.stage, self.slug, digest[:8]) if part)

    @classmethod
    def make(cls, values: Mapping[str, Any], where: str = "parameters", lines: Mapping[str, int] | None = None) -> Self:
        """The model of `values`; `where` they come from, and in which `lines`, is told in errors.

        Raises:
            ParameterError: names the first fault, the value, and for an unknown name the nearest known one.
        """
        unknown = [name for name in values if name not in cls.model_fields]
        if unknown:
            place = _place(where, unknown[0], lines)
            raise ParameterError(f"{place}: unknown parameter {unknown[0]!r}{_nearest(unknown[0], cls.model_fields)}")
        try:
            return cls.model_validate(dict(values))
        except ValidationError as error:
            place = _place(where, str([*error.errors()[0]["loc"], ""][0]), lines)
            raise ParameterError(f"{place}: {_explain(error)}") from None

    @classmethod
    def from_notebook(cls, names: Mapping[str, Any]) -> Self:
        """The model of a notebook's parameters; call it with `globals()` right after the parameter cell.

        Papermill only warns of an unknown parameter. Here the cell that papermill injected, and the last cell that
        sets one of the model's fields by plain assignments, may set fields only.

        Raises:
            ParameterError: as `make`, also for a missing name.
        """
        cells = list(reversed(names.get("In", [])))
        injected = (_assignments(cell) for cell in cells if cell.startswith("# Parameters"))
        setting = (found for cell in cells if (found := _assignments(cell, literal=True)) & cls.model_fields.keys())
        for assigned in (next(injected, set()), next(setting, set())):  # the last of each: a mended cell counts
            for name in sorted(assigned - cls.model_fields.keys()):
                raise ParameterError(f"notebook: unknown parameter {name!r}{_nearest(name, cls.model_fields)}")
        return cls.make({name: names[name] for name in cls.model_fields if name in names}, "notebook")


class _Loader(yaml.SafeLoader):
    """A SafeLoader to which a name that comes twice is a fault."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        names = [self.construct_object(key, deep=True) for key, _ in node.value]
        repeated = [name for k, name in enumerate(names) if name in names[:k]]
        if repeated:
            raise yaml.constructor.ConstructorError(None, None, f"{repeated[0]!r} comes twice", node.start_mark)
        return super().construct_mapping(node, deep)


def load_yaml(path: Path) -> dict[str, Any]:
    """A yaml file's top-level mapping.

    Raises:
        ParameterError: the file is missing, is not yaml, or holds something other than a mapping.
    """
    try:
        values = _Loader(path.read_text(encoding="utf-8")).get_single_data()
    except FileNotFoundError:
        others = [other.stem for other in path.parent.glob("*.yaml")]
        raise ParameterError(f"{path}: no such file{_nearest(path.stem, others)}") from None
    except yaml.MarkedYAMLError as error:
        line = f", line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise ParameterError(f"{path}{line}: not yaml: {error.problem}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ParameterError(f"{path}: not yaml: {' '.join(str(error).split())}") from None
    if not isinstance(values, dict) or not all(isinstance(name, str) for name in values):
        raise ParameterError(f"{path}: must hold `name: value` lines")
    return values


def yaml_lines(path: Path) -> dict[str, int]:
    """The line, counted from 1, of each name of a yaml file's top-level mapping."""
    node = yaml.compose(path.read_text(encoding="utf-8"), yaml.SafeLoader)
    pairs = node.value if isinstance(node, yaml.MappingNode) else []
    return {key.value: key.start_mark.line + 1 for key, _ in pairs}


def notebook_path(stem: str) -> Path:
    """The notebook of that stem, such as 01_graph_synthesis.

    Raises:
        ParameterError: there is none; suggests the nearest.
    """
    path = NOTEBOOKS_DIR / f"{stem}.ipynb"
    if not path.exists():
        raise ParameterError(f"no notebook {stem!r}{_nearest(stem, [p.stem for p in NOTEBOOKS_DIR.glob('*.ipynb')])}")
    return path


def model_of(notebook: Path) -> type[StageParams]:
    """The parameter model that a notebook's metadata names."""
    metadata = json.loads(notebook.read_text(encoding="utf-8"))["metadata"]
    try:
        name = metadata["workbench"]["params"]
    except KeyError:
        raise ParameterError(f"{notebook}: its metadata names no parameter model (workbench.params)") from None
    model: type[StageParams] = pkgutil.resolve_name(name)
    return model


def preset_path(stem: str, preset: str) -> Path:
    """The yaml file of a notebook's preset."""
    return PARAMS_DIR / stem / f"{preset}.yaml"


def load_params(stem: str, preset: str, changes: Mapping[str, Any] | None = None) -> StageParams:
    """The parameters of a notebook at a preset, with `changes` on top.

    >>> load_params("01_graph_synthesis", "tiny", {"seed": 3}).seed
    3
    """
    model, path = model_of(notebook_path(stem)), preset_path(stem, preset)
    values = load_yaml(path)
    model.make(values, str(path), yaml_lines(path))
    return model.make({**values, **(changes or {})}, f"{stem} at preset {preset}")


def _place(where: str, name: str, lines: Mapping[str, int] | None) -> str:
    return f"{where}, line {lines[name]}" if lines and name in lines else where


def _explain(error: ValidationError) -> str:
    first = error.errors()[0]
    name, value = ".".join(map(str, first["loc"])), first.get("input")
    if first["type"] == "missing":
        return f"{name!r} is missing"
    hint = ""
    if isinstance(value, str) and _is_number(value):
        hint = f" (text, not a number; yaml reads 1e-5 as text, so write {float(value)!r} as {_yaml_number(value)})"
    return f"{name!r} is {value!r}: {first['msg']}{hint}"


def _is_number(text: str) -> bool:
    try:
        return bool(float(text) == float(text))
    except ValueError:
        return False


def _yaml_number(text: str) -> str:
    mantissa, e, exponent = text.lower().partition("e")
    sign = "" if not e or exponent.startswith(("-", "+")) else "+"
    return f"{mantissa if '.' in mantissa or not e else mantissa + '.0'}{e}{sign}{exponent}"


def _nearest(name: str, known: Iterable[str]) -> str:
    known = sorted(known)
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    return f" (did you mean {near[0]!r}?)" if near else f" (known: {', '.join(known)})" if known else ""


def _assignments(cell: str, *, literal: bool = False) -> set[str]:
    """The names that a cell sets; with `literal` only where it holds nothing but assignments of literals."""
    try:
        body = ast.parse(cell).body
    except SyntaxError:
        return set()
    if literal and not all(isinstance(n, ast.Assign | ast.AnnAssign) and _is_literal(n.value) for n in body):
        return set()
    targets = [t for n in body for t in (n.targets if isinstance(n, ast.Assign) else [getattr(n, "target", None)])]
    return {target.id for target in targets if isinstance(target, ast.Name)}


def _is_literal(node: ast.expr | None) -> bool:
    try:
        ast.literal_eval(node)  # type: ignore[arg-type]
    except (ValueError, TypeError, SyntaxError):
        return False
    return True
