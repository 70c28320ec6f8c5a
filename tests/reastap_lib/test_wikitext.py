"""The table markup of pages: the known hard cases, and one test for every rule."""

from __future__ import annotations

import pytest

from reastap_lib.tables import Limits, Table
from reastap_lib.wiki_pages import page_tables
from reastap_lib.wikitext import markup_tables


def lines(markup: str) -> list[list[str]]:
    """Header and rows of the one table of a page."""
    [found] = tables(markup)
    return [list(line) for line in (found.header, *found.rows)]


def tables(markup: str) -> list[Table]:
    return page_tables("Page", markup)[0]


def left_out(markup: str) -> dict[str, int]:
    return dict(page_tables("Page", markup)[1])


def test_T01_a_cell_over_three_rows_is_said_in_each() -> None:
    markup = "{|\n! Year !! Name !! Field\n|-\n|rowspan=3|1983/4|| A || x\n|-\n| B || y\n|-\n| C || z\n|}"
    assert lines(markup) == [
        ["Year", "Name", "Field"],
        ["1983/4", "A", "x"],
        ["1983/4", "B", "y"],
        ["1983/4", "C", "z"],
    ]


def test_T02_two_header_rows_are_joined() -> None:
    markup = "{|\n! rowspan=2 | Team !! colspan=2 | Score\n|-\n! Home !! Away\n|-\n| A || 1 || 2\n|}"
    assert lines(markup) == [["Team", "Score Home", "Score Away"], ["A", "1", "2"]]


def test_T03_a_nested_table_is_one_of_its_own_and_plain_text_in_its_cell() -> None:
    markup = "{|\n! a !! b\n|-\n| 1 ||\n{|\n| n1 || n2\n|}\n|-\n| 2 || 3\n|}"
    assert lines(markup) == [["a", "b"], ["1", "n1 n2"], ["2", "3"]]
    outer, inner = markup_tables(markup)
    assert (outer.is_nested, inner.is_nested) == (False, True)
    assert [[cell.text.strip() for cell in row] for row in inner.rows] == [["n1", "n2"]]
    assert left_out(markup) == {"nested in another table, taken as one of its own": 1, "no header row": 1}


def test_T04_tables_without_an_end_are_recovered_or_counted() -> None:
    ended_by_template = "{| class=wikitable\n! a !! b\n|-\n| 1 || 2\n{{end}}"
    assert lines(ended_by_template) == [["a", "b"], ["1", "2"]]
    assert left_out(ended_by_template) == {"without an end, closed where it seems to end": 1}
    assert left_out("{| class=wikitable\n! a !! b\n|-\n") == {"no data rows": 1}
    assert left_out("{|{{Infobox aircraft begin\n |name = X\n}}\n|}") == {"no rows": 1}


def test_T06_pipes_in_templates_divide_no_cells() -> None:
    markup = "{|\n! AAA !! BBB !! CCC\n|-\n| {{unbulleted list|A1}}\n| {{unbulleted list|B1|B2}}\n| {{flag|China}}\n|}"
    assert lines(markup) == [["AAA", "BBB", "CCC"], ["A1", "B1, B2", "China"]]


def test_T07_attributes_links_and_literal_pipes() -> None:
    markup = '{|\n!Naam\n!class="unsortable"|Foto\n!Note\n|-\n| [[Target page|label]] || x &#124; y || a|b\n|}'
    assert lines(markup) == [["Naam", "Foto", "Note"], ["label", "x | y", "b"]]


def test_T09_every_row_has_as_many_cells_as_the_header() -> None:
    markup = '{|\n! A !! B !! C\n|-\n| 1 || || 3\n|-\n| 4<ref name="n">note | with pipe</ref> || one<br/>two\n|}'
    assert lines(markup) == [["A", "B", "C"], ["1", "", "3"], ["4", "one two", ""]]


def page(cell: str) -> str:
    return f"{{|\n! a !! b\n|-\n| {cell}\n| y\n|}}"


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("<!-- | x -->1", "1"),
        ("<nowiki>||</nowiki>", "||"),
        ("{{nowrap|a {{!}} b}}", "a | b"),
        ("[[File:a|b.png]] c | d", "c | d"),
        ('style="color:red" title=x | v', "v"),
        ("a\nb", "a b"),
        ("<math>a||b</math>", "a||b"),
        ('colspan="1" {{yes}}', "Yes"),
        ('rowspan=1 style="x: {{y|z}}" {{n/a|none}}', "none"),
        ("{{{1|x}}}1", "1"),
    ],
)
def test_what_a_cell_says(cell: str, text: str) -> None:
    assert lines(page(cell)) == [["a", "b"], [text, "y"]]


def test_templates_for_pipes_make_cells() -> None:
    markup = "{{(!}} class=wikitable\n! a {{!!}} b\n{{!-}}\n{{!}} 1 {{!!}} 2\n{{!)}}"
    assert lines(markup) == [["a", "b"], ["1", "2"]]


def test_attributes_brought_by_a_template_keep_the_spans_before_them() -> None:
    markup = "{|\n! a !! b !! c\n|-\n| x || colspan=2 {{n/a}}\n|}"
    assert lines(markup) == [["a", "b", "c"], ["x", "N/A", "N/A"]]


def test_templates_that_make_two_cells_do_not_shift_the_rest() -> None:
    markup = (
        "{|\n! Name !! colspan=2 | Party !! Votes\n|-\n| Ann\n|{{Party name with color|Reds (UK)}}\n| 5\n|-\n| Bob || "
        "rowspan=2 {{party name with colour|Blues|rowspan=2}} || 4\n|-\n| Cyd || 3\n|}"
    )
    assert lines(markup) == [
        ["Name", "Party", "Votes"],
        ["Ann", "Reds", "5"],
        ["Bob", "Blues", "4"],
        ["Cyd", "Blues", "3"],
    ]
    markup = "{|\n! colspan=2 | Party !! Votes\n|-\n{{Canadian party colour|ON|Liberal|row}}\n|[[Liberal]]\n| 5\n|}"
    assert lines(markup) == [["Party", "Votes"], ["Liberal", "5"]]


def test_quantities_in_cells_of_their_own_are_not_guessed() -> None:
    assert left_out(page("{{convert|1|km|mi|disp=table}}")) == {"cells made by templates": 1}


def test_html_tables_in_wikitext() -> None:
    markup = "<table class=x><tr><th>a</th><th>b\n</th></tr><tr><td rowspan=1>[[c|1]]</td><td>2</td></tr></table>"
    assert lines(markup) == [["a", "b"], ["1", "2"]]


def test_hidden_rows_and_cells_are_not_there() -> None:
    markup = '{|\n! a !! b\n|- style="display: none"\n| 9 || 9\n|-\n| 1 || style="display:none" | 5 || 2\n|}'
    assert lines(markup) == [["a", "b"], ["1", "2"]]


def test_indented_tables_and_ends_with_text_behind() -> None:
    markup = ":{| class=wikitable\n! a !! b\n|-\n| 1 || 2\n|}</div>\nText"
    assert lines(markup) == [["a", "b"], ["1", "2"]]


def test_headings_captions_and_title_rows() -> None:
    markup = (
        "== Career ==\n=== '''Goals''' ===\n{|\n|+ style=x | By [[year]]\n! a !! b\n|-\n| 1 || 2\n|}\n== Other ==\n"
        "{|\n! colspan=2 | Season 1998\n|-\n! a !! b\n|-\n| 3 || 4\n|}"
    )
    first, second = tables(markup)
    assert (first.title, first.section, first.caption) == ("Page", "Career > Goals", "By year")
    assert (second.section, second.caption, second.header) == ("Other", "Season 1998", ("a", "b"))
    assert first.heading == "Page: Career > Goals: By year"


def test_a_table_without_an_end_does_not_swallow_the_next_section() -> None:
    open_table = "{|\n! a !! b\n|-\n| 1 || 2\n\nProse goes on.\n"
    whole = "== Next ==\n{|\n! c !! d\n|-\n| 3 || 4\n|}\n"
    first, second = tables(open_table + whole)
    assert (first.rows, second.rows, second.section) == ((("1", "2"),), (("3", "4"),), "Next")


@pytest.mark.parametrize(
    "markup",
    [
        "{|\n! a !! b\n|-\n{{some row|1|2}}\n|}",
        "{|\n! a !! b\n{{some row|1|2}}\n{{some row|3|4}}\n|}",
        "{|\n! a !! b\n|-\n| 1 || 2\n{{some row|1|2|3}}\n|}",
    ],
)
def test_rows_made_by_templates_are_not_guessed(markup: str) -> None:
    assert left_out(markup) == {"rows made by templates": 1}


def test_templates_that_show_nothing_may_stand_between_rows() -> None:
    assert lines("{|\n{{clear}}\n! a !! b\n|-\n{{anchor|x}}\n| 1 || 2\n|}") == [["a", "b"], ["1", "2"]]


def test_markup_left_over_is_never_kept() -> None:
    assert left_out(page("[[a")) == {"markup left over": 1}
    assert left_out(page("}} b")) == {"markup left over": 1}


def test_limits_ids_and_counts() -> None:
    long = "{|\n! a !! b !! c\n" + "|-\n| 1 || 2 || {{no such template|x}}\n" * 31 + "|}\n"
    good = "{|\n! a !! b !! c\n" + "|-\n| 1 || 2 || {{no such template|x}}\n" * 8 + "|}\n"
    found, counts = page_tables("Page", long + good + "{|\n! a\n|-\n| 1\n|}", 7, Limits(), "enwiki")
    assert [(table.id, table.source, table.shape) for table in found] == [("7-1", "enwiki", (8, 3))]
    assert counts == {
        "more than 30 rows": 1,
        "fewer than 8 rows": 1,
        "template without a rule, its arguments shown (cell)": 8,
    }


def test_templates_in_templates_without_end_leave_the_page_out() -> None:
    assert left_out("{|\n| " + "{{a|" * 5000 + "}}" * 5000 + "\n|}") == {"templates nested too deeply (page)": 1}
