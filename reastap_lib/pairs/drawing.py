"""Which form of SQL pair is drawn for a table: a skill by the paper's shares, then one of its forms.

Every part of SQUALL's grammar is in some form. What refers to the order of rows (`id`) is left out: rows are shuffled
so that nothing is learnt from it (ReasTAP, section 2.1), and the paper's form of a table does not number them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from reastap_lib.columns import TypedTable
from reastap_lib.conditions import Undetermined
from reastap_lib.pairs.categories import SqlSkill
from reastap_lib.pairs.forms import CONJUNCTION, NUMERICAL, QUANTIFIERS, TEMPORAL, Form
from reastap_lib.pairs.grammar import Statement
from reastap_lib.pairs.palette import Fitting, Palette
from reastap_lib.pairs.totals import COUNTING, DATE_DIFFERENCE, OPERATION

if TYPE_CHECKING:
    from reastap_lib.skills.drawing import Draw

FORMS_TRIED = 4
SHARES: dict[SqlSkill, float] = {
    "conjunction": 0.216,
    "quantifiers": 0.103,
    "temporal_comparison": 0.145,
    "date_difference": 0.057,
    "counting": 0.180,
    "numerical_operation": 0.159,
    "numerical_comparison": 0.140,
}
FORMS: dict[SqlSkill, tuple[Form, ...]] = {
    "conjunction": CONJUNCTION,
    "quantifiers": QUANTIFIERS,
    "temporal_comparison": TEMPORAL,
    "date_difference": DATE_DIFFERENCE,
    "counting": COUNTING,
    "numerical_operation": OPERATION,
    "numerical_comparison": NUMERICAL,
}


def draw_statement(table: TypedTable, draw: Draw) -> tuple[SqlSkill, Statement]:
    """A skill by the shares of Table 1 among those that the table has columns for, and a statement of one of its forms.

    Raises:
        Undetermined: the table serves no skill, or lacks what the form needs.
    """
    palette = Palette(table, draw)
    served = skills_for(palette)
    if not served:
        raise Undetermined("no column or cell to choose from")
    left = draw.wish * sum(SHARES[each] for each in served)
    skill = next((each for each in served if (left := left - SHARES[each]) < 0), served[-1])
    return skill, _of_some_form(FORMS[skill], palette)


def _of_some_form(forms: tuple[Form, ...], palette: Palette) -> Statement:
    """A statement of the first form drawn for which the table has what it needs; the last reason where none has."""
    reason = Undetermined("no column or cell to choose from")
    for _ in range(FORMS_TRIED):
        try:
            return palette.draw.choice(forms)(palette)
        except Undetermined as error:
            reason = error
    raise reason


def skills_for(fitting: Fitting) -> list[SqlSkill]:
    """The skills that a table has columns for."""
    needs: dict[SqlSkill, bool] = {
        "conjunction": len(fitting.comparable) > 1,
        "quantifiers": bool(fitting.groups),
        "temporal_comparison": bool(fitting.dates),
        "date_difference": bool(fitting.years),
        "counting": bool(fitting.comparable),
        "numerical_operation": bool(fitting.summable),
        "numerical_comparison": bool(fitting.numbers),
    }
    return [skill for skill in SHARES if needs[skill]]
