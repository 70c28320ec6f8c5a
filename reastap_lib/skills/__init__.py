"""The reasoning skills of ReasTAP, one file each (Table 1); importing this package registers them all."""

from reastap_lib.skills import (  # noqa: F401  (registered by importing)
    conjunction,
    counting,
    date_difference,
    numerical_comparison,
    numerical_operation,
    quantifiers,
    temporal_comparison,
)
from reastap_lib.skills.drawing import Clause, Draw
from reastap_lib.skills.registry import Question, Skill, SkillError, get_skill, shares, skill, skill_names

__all__ = ["Clause", "Draw", "Question", "Skill", "SkillError", "get_skill", "shares", "skill", "skill_names"]
