"""Tables of the economy: shares, jobs, national accounts, firms, interest rates."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from typing import Any

from reastap_lib.builtin.nature import yearly
from reastap_lib.builtin.raw import (
    MISSING,
    MONTHS,
    changes,
    day,
    decimal,
    direction,
    groups,
    iso,
    make,
    month,
    number,
    numbers,
    pieces,
    statsmodels_csv,
    vega_csv,
    vega_json,
)
from reastap_lib.tables import Table

_COMPANIES = {"AAPL": "Apple", "AMZN": "Amazon", "GOOG": "Google", "IBM": "IBM", "MSFT": "Microsoft"}
_SECTORS = {
    "mining_and_logging": "Mining and logging",
    "construction": "Construction",
    "durable_goods": "Durable goods",
    "nondurable_goods": "Nondurable goods",
    "wholesale_trade": "Wholesale trade",
    "retail_trade": "Retail trade",
    "transportation_and_warehousing": "Transportation and warehousing",
    "utilities": "Utilities",
    "information": "Information",
    "financial_activities": "Financial activities",
    "professional_and_business_services": "Professional and business services",
    "education_and_health_services": "Education and health services",
    "leisure_and_hospitality": "Leisure and hospitality",
    "other_services": "Other services",
    "government": "Government",
}
_MACRO = {
    "accounts": {"Real GDP": "realgdp", "Consumption": "realcons", "Investment": "realinv", "Government": "realgovt"},
    "prices": {
        "Consumer price index": "cpi",
        "Unemployment (%)": "unemp",
        "Inflation (%)": "infl",
        "Treasury bill rate (%)": "tbilrate",
    },
}


def tables() -> Iterator[Table]:
    yield from _shares()
    yield from _share_months()
    yield from _jobs()
    yield from _sectors()
    yield from _macro()
    yield from _german_rates()
    yield from _firms()
    yield from _trading()
    yield from _turnover()
    yield from _electricity()


def _prices() -> dict[tuple[str, datetime.date], str]:
    parse = datetime.datetime.strptime
    rows = vega_csv("stocks")
    return {(row["symbol"], parse(row["date"], "%b %d %Y").date()): row["price"] for row in rows}


def _shares() -> Iterator[Table]:
    prices = _prices()
    for year in range(2000, 2010):
        months = [datetime.date(year, m, 1) for m in range(1, 13)]
        named = {s: n for s, n in _COMPANIES.items() if (s, months[0]) in prices}
        yield make(
            f"shares-{year}",
            f"Share prices in {year}",
            {
                "Month": [month(date) for date in months],
                **{name: numbers([prices[s, d] for d in months], 2, prefix="$") for s, name in named.items()},
            },
        )


def _share_months() -> Iterator[Table]:
    prices = _prices()
    dates = sorted({date for _, date in prices})
    for first in dates[6:-6:6]:
        part = [
            (s, d) for d in dates[dates.index(first) : dates.index(first) + 5] for s in _COMPANIES if (s, d) in prices
        ]
        before = [prices.get((s, dates[dates.index(d) - 1])) for s, d in part]
        moves = [None if b is None else decimal(prices[k]) - decimal(b) for k, b in zip(part, before, strict=True)]
        yield make(
            f"share-months-{first:%Y-%m}",
            f"Five companies on the stock market, five months from {month(first)}",
            {
                "Company": [_COMPANIES[symbol] for symbol, _ in part],
                "Month": [month(date) for _, date in part],
                "Share price": numbers([prices[key] for key in part], 2, prefix="$"),
                "Direction": [direction(move) for move in moves],
                "Change in price": numbers(moves, 2),
            },
        )


def _jobs() -> Iterator[Table]:
    names = list(_SECTORS)
    for year, rows in groups(vega_csv("us-employment"), lambda row: row["month"][:4]).items():
        for k, part in enumerate(pieces(names, 5), 1):
            yield make(
                f"jobs-{year}-{k}",
                f"US employment in {year} by month (thousands), part {k}",
                {
                    "Month": [month(iso(row["month"])) for row in rows],
                    **{_SECTORS[name]: numbers([row[name] for row in rows]) for name in part},
                },
            )


def _sectors() -> Iterator[Table]:
    for year, rows in groups(vega_csv("us-employment"), lambda row: row["month"][:4]).items():
        peaks = {name: max(rows, key=lambda row: decimal(row[name])) for name in _SECTORS}
        lows = {name: min(rows, key=lambda row: decimal(row[name])) for name in _SECTORS}
        yield make(
            f"sectors-{year}",
            f"Highest and lowest employment by sector in {year} (thousands of jobs)",
            {
                "Sector": list(_SECTORS.values()),
                "Peak month": [month(iso(row["month"])) for row in peaks.values()],
                "Most jobs": [number(row[name]) for name, row in peaks.items()],
                "Lowest month": [month(iso(row["month"])) for row in lows.values()],
                "Fewest jobs": [number(row[name]) for name, row in lows.items()],
            },
        )


def _macro() -> Iterator[Table]:
    for part in pieces(statsmodels_csv("macrodata"), 12):
        quarters = [f"{row['year']} Q{row['quarter']}" for row in part]
        for group, columns in _MACRO.items():
            yield make(
                f"macro-{group}-{part[0]['year']}Q{part[0]['quarter']}",
                f"United States, {quarters[0]} to {quarters[-1]}: national {group}",
                {
                    "Quarter": quarters,
                    "Last month": _last_months(part),
                    **{name: numbers([row[key] for row in part], 1) for name, key in columns.items()},
                },
            )


def _german_rates() -> Iterator[Table]:
    for part in pieces(statsmodels_csv("interest_inflation", "E6"), 12):
        quarters = [f"{row['year']} Q{row['quarter']}" for row in part]
        rates = [100 * decimal(row["R"]) for row in part]
        yield make(
            f"germany-{part[0]['year']}Q{part[0]['quarter']}",
            f"Interest and inflation in West Germany, {quarters[0]} to {quarters[-1]}",
            {
                "Quarter": quarters,
                "Last month": _last_months(part),
                "Inflation": [f"{number(100 * decimal(row['Dp']), 2)}%" for row in part],
                "Interest rate": [f"{number(rate, 1)}%" for rate in rates],
                "Direction of the rate": [direction(change) for change in changes(list(rates))],
            },
        )


def _last_months(rows: Sequence[dict[str, str]]) -> list[str]:
    return [f"{MONTHS[3 * int(row['quarter']) - 1]} {row['year']}" for row in rows]


def _firms() -> Iterator[Table]:
    rows = statsmodels_csv("grunfeld")
    for firm, part in groups(rows, lambda row: row["firm"]).items():
        moves = changes([decimal(row["invest"]) for row in part])
        columns = {"Year": [row["year"] for row in part], **_accounts(part)}
        columns["Direction of investment"] = [direction(move) for move in moves]
        yield make(f"firm-{firm.replace(' ', '-')}", f"Investment of {firm}, 1935 to 1954 ($ million)", columns)
    for year, part in list(groups(rows, lambda row: row["year"]).items())[::2]:
        columns = {"Firm": [row["firm"] for row in part], **_accounts(part)}
        yield make(f"firms-{year}", f"Investment of large US firms in {year} ($ million)", columns)
    firms = groups(rows, lambda row: row["firm"])
    best = [max(part, key=lambda row: decimal(row["invest"])) for part in firms.values()]
    columns = {"Firm": list(firms), "Year of most investment": [row["year"] for row in best], **_accounts(best)}
    yield make("firms-best", "The years of most investment of large US firms ($ million)", columns)


def _accounts(rows: list[dict[str, str]]) -> dict[str, list[str]]:
    named = {"Gross investment": "invest", "Market value": "value", "Capital stock": "capital"}
    return {name: numbers([row[key] for row in rows], 1) for name, key in named.items()}


def _trading() -> Iterator[Table]:
    for k, part in enumerate(pieces(vega_json("ohlc"), 15), 1):
        yield make(
            f"trading-{k}",
            f"Volatility index, trading days from {day(iso(part[0]['date']))}",
            {
                "Date": [day(iso(row["date"])) for row in part],
                **{
                    name.capitalize(): numbers([row[name] for row in part], 2)
                    for name in ("open", "high", "low", "close")
                },
                "Signal": [row["signal"] for row in part],
            },
        )


def _turnover() -> Iterator[Table]:
    rows: list[dict[str, Any]] = list(statsmodels_csv("elec_equip"))
    key = next(name for name in rows[0] if name != "DATE")
    moves = changes([decimal(row[key]) for row in rows])
    years = groups(zip(rows, moves, strict=True), lambda pair: pair[0]["DATE"][-4:])
    for year, part in list(years.items())[:-1:2]:
        names = [next(name for name in MONTHS if name.startswith(row["DATE"][:3])) for row, _ in part]
        yield make(
            f"turnover-{year}",
            f"Turnover of electrical equipment makers in the euro area, {year} (index)",
            {
                "Month": [f"{name} {year}" for name in names],
                "Turnover index": numbers([row[key] for row, _ in part], 2),
                "Direction": [direction(move) for _, move in part],
                "Change": [MISSING if move is None else number(move, 2) for _, move in part],
            },
        )


def _electricity() -> Iterator[Table]:
    for source, rows in groups(vega_csv("iowa-electricity"), lambda row: row["source"]).items():
        values = [decimal(row["net_generation"]) for row in rows]
        years = [row["year"][:4] for row in rows]
        title = f"Electricity from {source.lower()} in Iowa"
        yield from yearly(f"iowa-{source.replace(' ', '-')}", title, years, "Generation (GWh)", values, 0)
