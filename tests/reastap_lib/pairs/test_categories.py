from __future__ import annotations

import pytest

from reastap_lib.pairs.categories import skill_of
from reastap_lib.pairs.parsing import parse_sql


@pytest.mark.parametrize(
    ("skill", "rest"),
    [
        ("conjunction", "c1 from w where c2 = 'x' and c3_number > 5"),
        ("conjunction", "c1 from w where c2 in ( 'x' , 'y' )"),
        ("conjunction", "c1 from w where c2 = 'x' union select c1 from w where c3 = 'y'"),
        ("quantifiers", "c1 from w group by c1 having min ( c2_number ) > 3"),
        ("quantifiers", "distinct c1 from w where c1 not in ( select c1 from w where c2 = 'x' )"),
        ("temporal_comparison", "c1 from w where c2 = 'x' and c3 = 'y' order by c4_date desc limit 1"),
        ("temporal_comparison", "c1 from w where c4_parsed < ( select c4_parsed from w where c1 = 'x' )"),
        (
            "temporal_comparison",
            "c1 from w where year ( c4_date ) = 1998 and c4_date > '1998-05' order by c4_date limit 1",
        ),
        ("date_difference", "c4_year - c3_year from w where c1 = 'x'"),
        ("date_difference", "( select year ( c4_date ) from w where c1 = 'x' ) - ( select year ( c4_date ) from w )"),
        ("date_difference", "abs ( year ( c4_date ) - year ( c3_date ) ) from w where c1 = 'x'"),
        ("counting", "count ( * ) from w where c4_date > '1998'"),
        ("counting", "c1 from w group by c1 order by count ( * ) desc limit 1"),
        ("numerical_operation", "sum ( c2_number ) from w where c1 = 'x' and c3 = 'y'"),
        ("numerical_operation", "abs ( ( select c2_number from w where c1 = 'x' ) - 3 )"),
        ("numerical_operation", "( select count ( * ) from w ) - ( select count ( * ) from w where c1 = 'x' )"),
        ("numerical_comparison", "c1 from w order by c2_number + c3_number desc limit 1"),
        ("numerical_comparison", "max ( c2_number ) from w"),
        ("numerical_comparison", "c1 from w where c2_number between 3 and 5"),
        (
            "numerical_comparison",
            "( select c2_number from w where c1 = 'x' ) > ( select c2_number from w where c1 = 'y' )",
        ),
        ("other", "c1 from w where c2 = 'x'"),
        ("other", "c1 from w where c2_number = 3"),
        ("other", "c1 from w where id = ( select id from w where c1 = 'x' ) + 1"),
    ],
)
def test_categories(skill: str, rest: str) -> None:
    assert skill_of(parse_sql(f"select {rest}")) == skill
