"""The built-in tables: real ones, cut at run time from the data that vega_datasets and statsmodels (both BSD-3) ship.

Only files inside the two packages are read; nothing is downloaded, and neither package is imported. Order and bytes
are the same on every machine.
"""

from __future__ import annotations

from functools import lru_cache

from reastap_lib.builtin import economy, nature, places, things, weather
from reastap_lib.tables import Limits, Table, keep


@lru_cache(maxsize=1)
def builtin_tables() -> tuple[Table, ...]:
    """About 400 tables of 8-30 rows and at least three columns.

    >>> len(builtin_tables()) >= 200
    True
    """
    made = [table for part in (places, weather, nature, economy, things) for table in part.tables()]
    kept, _ = keep(made, Limits())
    return tuple(kept)
