"""The reasoning skills of ReasTAP, one file each (Table 1); importing this package registers them all."""

# In the order of Table 1.
# isort: off
from reastap_lib.skills import conjunction as _conjunction  # noqa: F401
from reastap_lib.skills import quantifiers as _quantifiers  # noqa: F401
from reastap_lib.skills import temporal_comparison as _temporal_comparison  # noqa: F401
from reastap_lib.skills import date_difference as _date_difference  # noqa: F401
from reastap_lib.skills import counting as _counting  # noqa: F401
from reastap_lib.skills import numerical_operation as _numerical_operation  # noqa: F401
from reastap_lib.skills import numerical_comparison as _numerical_comparison  # noqa: F401

# isort: on
from reastap_lib.skills.drawing import Clause, Draw
from reastap_lib.skills.registry import Question, Skill, SkillError, forget, get_skill, shares, skill, skill_names

TABLE_1 = skill_names()

__all__ = [
    "TABLE_1",
    "Clause",
    "Draw",
    "Question",
    "Skill",
    "SkillError",
    "forget",
    "get_skill",
    "shares",
    "skill",
    "skill_names",
]

from reastap_lib import sql_pairs as _sql_pairs  # noqa: E402, F401 (the skill `sql`, which needs the registry above)
