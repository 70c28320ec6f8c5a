"""What Wikipedia's templates show inside a table cell: rules by name, and one for all the others.

A rule takes a call, whose arguments are rendered already, and returns what a reader sees. Templates that show the
day's date or an age today show nothing here; those without a rule show their positional arguments. The simple rules
are in data/templates.yaml, the others in wikitext_rules, wikitext_dates and wikitext_numbers.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import yaml

from reastap_lib.cell_text import picture

DATA = Path(__file__).parent / "data"
_NOT_TEXT = re.compile(r"#[0-9a-fA-F]{3,8}|\d+(?:x\d+)?px|[\w-]+\s*=.*|(?:[\w-]+\s*:[^:;]+;)+", re.DOTALL)
_COUNTRY_CODES = re.compile(r"[A-Z]{2,3}")
_MODULES = ("wikitext_rules", "wikitext_dates", "wikitext_numbers")


@dataclass(frozen=True)
class Call:
    """A call of a template.

    Args:
        name: As it is written, without the spaces around it.
        arguments: By name, positional ones by their number from "1" on.
    """

    name: str
    arguments: Mapping[str, str]

    def get(self, *keys: int | str) -> str:
        """The first of these arguments that is there and not empty, or nothing."""
        return next(filter(None, (self.arguments.get(str(key), "").strip() for key in keys)), "")

    @cached_property
    def positional(self) -> list[str]:
        """The positional arguments, up to the last that says something; what is not given in between is empty."""
        numbers = [int(key) for key in self.arguments if re.fullmatch(r"[1-9]\d{0,2}", key) and self.get(key)]
        return [self.get(number) for number in range(1, max(numbers, default=0) + 1)]

    @property
    def texts(self) -> list[str]:
        """The positional arguments that look like text, not like colours, sizes or attributes."""
        return [text for text in self.positional if text and not _NOT_TEXT.fullmatch(text)]


Rule = Callable[[Call], str]
_rules: dict[str, Rule] = {}


def rule(*names: str) -> Callable[[Rule], Rule]:
    """Make a function the rule of all templates of these names (in lower case)."""

    def register(function: Rule) -> Rule:
        _rules.update(dict.fromkeys(names, function))
        return function

    return register


def show(call: Call) -> str:
    """What a call shows; where there is no rule, the positional arguments that look like text.

    >>> show(Call("Sortname", {"1": "Ann", "2": "Lee"})), show(Call("no such", {"1": "a", "2": "#fff", "x": "b"}))
    ('Ann Lee', 'a')
    """
    found = rule_for(call.name)
    return found(call) if found else " ".join(call.texts)


@lru_cache(maxsize=4096)
def rule_for(name: str) -> Rule | None:
    """The rule of a template, or None where there is none."""
    key = normal_name(name)
    found = _all_rules().get(key)
    if found:
        return found
    if key.startswith(("cite ", "citation", "party shading/")) or "/meta/" in key:
        return _nothing
    if key.startswith(("lang-", "ipa-", "ipac-")):
        return lambda call: call.get(1, "text")
    shown = country(name) if _COUNTRY_CODES.fullmatch(name) else None
    return None if shown is None else lambda _call: shown


def normal_name(name: str) -> str:
    """A template's name as rules know it.

    >>> normal_name("Template:Start_date ")
    'start date'
    """
    return " ".join(name.replace("_", " ").split()).lower().removeprefix("template:")


def named(key: str) -> dict[str, str]:
    """Of a group of simple templates (such as `currency`), the text by the template's name."""
    return {name: text for text, names in _data()[key].items() for name in _split(names)}


def names_of(key: str) -> list[str]:
    """The names of a group of simple templates that share one rule (such as `ship`)."""
    return _split(_data()[key])


def country(code: str) -> str | None:
    """The country of a code of the Olympic committee, of FIFA or of ISO.

    >>> country("GER"), country("DEU"), country("xyz")
    ('Germany', 'Germany', None)
    """
    return _countries().get(code.strip().upper())


@lru_cache(maxsize=1)
def _countries() -> dict[str, str]:
    lines = (DATA / "countries.tsv").read_text(encoding="utf-8").splitlines()
    return {code: name for code, _, name in (line.partition("\t") for line in lines)}


@lru_cache(maxsize=1)
def _data() -> dict[str, Any]:
    data: dict[str, Any] = yaml.safe_load((DATA / "templates.yaml").read_text(encoding="utf-8"))
    return data


def _split(names: str) -> list[str]:
    return [name.strip() for name in names.split(",")]


@lru_cache(maxsize=1)
def _all_rules() -> dict[str, Rule]:
    for module in _MODULES:
        importlib.import_module(f"reastap_lib.{module}")
    simple: dict[str, Rule] = dict.fromkeys(names_of("nothing"), _nothing)
    simple.update(dict.fromkeys(names_of("first"), lambda call: call.get("text", 1)))
    simple.update(dict.fromkeys(names_of("last"), lambda call: call.get("text") or "".join(call.positional[-1:])))
    simple.update({name: _always(text) for name, text in named("always").items()})
    simple.update({name: _unless_told(text) for name, text in named("cell").items()})
    simple.update({name: _always(picture(text)) for name, text in named("picture").items()})
    return simple | _rules


def _nothing(_call: Call) -> str:
    return ""


def _always(text: str) -> Rule:
    return lambda _call: text


def _unless_told(text: str) -> Rule:
    return lambda call: call.get(1) or text
