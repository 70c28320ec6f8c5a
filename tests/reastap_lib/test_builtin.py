from __future__ import annotations

import subprocess
import sys

from reastap_lib.builtin import builtin_tables
from reastap_lib.column_types import type_table
from reastap_lib.readers import source_digest
from reastap_lib.tables import Limits

LIMITS = Limits()


def test_there_are_enough_tables_of_the_promised_kinds() -> None:
    typed = [type_table(table) for table in builtin_tables()]
    kinds = [{column.kind for column in table.columns} for table in typed]
    keys = [table.columns[table.key].kind if table.key is not None else None for table in typed]
    assert len(typed) >= 400
    assert all(LIMITS.fault(table.table) is None for table in typed)
    assert all("number" in found for found in kinds)
    assert sum("date" in found for found in kinds) >= 300
    assert sum("string" in found for found in kinds) >= 350
    assert sum(found == {"string", "number", "date"} for found in kinds) >= 250
    assert keys.count("string") >= 180
    assert sum(k == "string" and "date" in found for k, found in zip(keys, kinds, strict=True)) >= 100


def test_titles_and_ids_are_distinct_and_say_something() -> None:
    tables = builtin_tables()
    assert len({table.id for table in tables}) == len(tables)
    assert len({table.title for table in tables}) == len(tables)
    assert all(len(table.title.split()) >= 3 for table in tables)


def test_no_cell_has_stray_spaces_and_no_header_is_a_variable_name() -> None:
    for table in builtin_tables():
        assert all(cell == " ".join(cell.split()) for row in (table.header, *table.rows) for cell in row)
        assert not any("_" in name for name in table.header)


def test_a_table_is_what_the_package_ships() -> None:
    table = next(table for table in builtin_tables() if table.id == "builtin/seattle-days-2012-01")
    assert table.title == "Weather in Seattle, 1 to 15 January 2012"
    assert table.header == ("Date", "Weather", "High (°C)", "Low (°C)", "Precipitation (mm)", "Wind (m/s)")
    assert table.rows[1] == ("2 January 2012", "rain", "10.6", "2.8", "10.9", "4.5")


def test_tables_are_the_same_in_a_fresh_process_without_warnings_or_heavy_imports() -> None:
    code = (
        "import sys; from reastap_lib.readers import source_digest; print(source_digest('builtin'));"
        "assert not {'statsmodels', 'vega_datasets', 'pandas'} & set(sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONHASHSEED": "7"},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.strip() == source_digest("builtin")
