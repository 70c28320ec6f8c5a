"""Markup as a reader sees it; the expected texts are what Wikipedia shows, written by hand."""

from __future__ import annotations

import pytest
import yaml

from reastap_lib.wikitext_cells import reader_text, shown
from reastap_lib.wikitext_templates import DATA


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("[[Paris]]", "Paris"),
        ("[[Paris|the city]]", "the city"),
        ("[[Paris (Texas)|'''Paris''']]", "Paris"),
        ("[[:Category:Cities]]", "Category:Cities"),
        ("[[Category:Cities]]x", "x"),
        ("[[File:Flag.svg|20px|alt=[[a]]]] Ann", "Ann"),
        ("[[Image:x.png]]", ""),
        ("[[Datei:x.png|mini]]Bild", "Bild"),
        ("[[fr:Paris]]x", "x"),
        ("[[fr:Paris|Paris]]", "Paris"),
        ("[[Star Trek: Voyager]]", "Star Trek: Voyager"),
        ("[http://a.org the site]", "the site"),
        ("[https://a.org]x", "x"),
        ("[//a.org x y]", "x y"),
        ("[He] 2s", "[He] 2s"),
        ("[3/4] a.b [x@y.z]", "[3/4] a.b [x@y.z]"),
        ("[mailto:x@y.z mail]", "mail"),
        ("http://a.org", "http://a.org"),
    ],
)
def test_links(markup: str, text: str) -> None:
    assert reader_text(markup) == text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("'''bold''' and ''italic'' and '''''both'''''", "bold and italic and both"),
        ("''[['71 (film)|'71]]''", "'71"),
        ("l'''amour''", "l'amour"),
        ("'''{{efn|x}}'''", ""),
        ("rock 'n' roll", "rock 'n' roll"),
        ("a<br>b<br/>c<BR />d", "a b c d"),
        ('<small>a</small> <span style="color:red">b</span>', "a b"),
        ('<span style="display:none">0012</span>12', "12"),
        ('<span style="visibility:hidden;">0</span>7', "7"),
        ('<span style="display:none">a<span>b</span><br>c</span>d', "d"),
        ('<span class="sortkey">Lee, Ann</span>Ann Lee', "Ann Lee"),
        ("x<sup>[1]</sup>, y<sup>a</sup>, z<sup>†</sup>", "x, y, z"),
        ("10<sup>6</sup>, km<sup>2</sup>, CH<sub>4</sub>", "10⁶, km2, CH4"),
        ("1<sup>st</sup>", "1st"),
        ("Ann† ‡", "Ann"),
        ("†", "†"),
        ("5 < 6 and <foo>", "5 < 6 and <foo>"),
        ("a&nbsp;&amp;&nbsp;b &#8211; c", "a & b – c"),
        ("&lt;br&gt;", "<br>"),
        ("a &copy b &nosuch; R&D", "a &copy b &nosuch; R&D"),
        ("a\u200bb\ufeffc\u00add", "abcd"),
        ("Team\n* Ann\n* Bob\n* [[Cyd]]", "Team Ann, Bob, Cyd"),
        ("# a\n# b", "a, b"),
        ("* note", "* note"),
        ("a\n\nb", "a b"),
        ("__NOTOC__a", "a"),
    ],
)
def test_tags_quotes_lists_and_entities(markup: str, text: str) -> None:
    assert reader_text(markup) == text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("{{flag|China}}", "China"),
        ("{{flagicon|France}} Ann", "Ann"),
        ("{{flagicon|GER}}", "Germany"),
        ("{{flagcountry|USA}}", "United States"),
        ("{{GER}}", "Germany"),
        ("{{fb|BRA}}", "Brazil"),
        ("{{flagIOC|KEN|2008 Summer}}", "Kenya"),
        ("{{flagIOCathlete|[[Ann Lee]]|USA|2008 Summer}}", "Ann Lee (USA)"),
        ("{{sortname|Ann|Lee}}", "Ann Lee"),
        ("{{Sortname|Ann|Lee|Ann Lee (singer)}}", "Ann Lee"),
        ("{{sort|0012|[[Twelve|12]]}}", "12"),
        ("{{sort|12}}", "12"),
        ("{{hs|0012}}12", "12"),
        ("{{nts|1234567}}", "1,234,567"),
        ("{{formatnum:1234.5}}", "1,234.5"),
        ("{{0}}7", "7"),
        ("{{convert|1200|km|mi|abbr=on}}", "1,200 km"),
        ("{{convert|10|-|20|km2|sqmi}}", "10–20 km²"),
        ("{{convert|6|ft|2|in|m}}", "6 ft 2 in"),
        ("{{convert|20|C|F}}", "20°C"),
        ("{{height|ft=6|in=2}}", "6 ft 2 in"),
        ("{{US$|1500}}", "US$1,500"),
        ("{{frac|3|1|2}}", "3 1/2"),
        ("{{val|1500|u=km}}", "1,500 km"),
        ("{{bartable|87.5|%|2}}", "87.5%"),
        ("{{percentage|1|4}}", "25%"),
        ("{{winpct|5|3}}", ".625"),
        ("{{ordinal|12}}", "12th"),
    ],
)
def test_templates_of_names_and_numbers(markup: str, text: str) -> None:
    assert reader_text(markup) == text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("{{dts|2008|5|12}}", "May 12, 2008"),
        ("{{dts|format=dmy|2008|5|12}}", "12 May 2008"),
        ("{{dts|2008|Nov|12}}", "November 12, 2008"),
        ("{{dts||10|17}}", "October 17"),
        ("{{dts|2008|5}}", "May 2008"),
        ("{{dts|12 May 2008}}", "12 May 2008"),
        ("{{dts|2008-05-12}}", "May 12, 2008"),
        ("{{dts|1066}}", "1066"),
        ("{{date|2008-05-12}}", "12 May 2008"),
        ("{{start date|2008|5|12|df=y}}", "12 May 2008"),
        ("{{birth date and age|1980|5|12}}", "May 12, 1980"),
        ("{{death date and age|2008|5|11|1940|5|12}}", "May 11, 2008 (aged 67)"),
        ("{{age|1980|5|12}}", ""),
        ("{{age|1980|5|12|2008|5|12}}", "28"),
        ("{{ayd|1996|2|29|1997|3|2}}", "1 year, 1 day"),
        ("{{start and end dates|2008|5|12|2009|6|1}}", "May 12, 2008 – June 1, 2009"),
        ("{{opdrts|29|30|Oct|2018}}", "29–30 Oct 2018"),
        ("{{duration|1|2|3}}", "1:02:03"),
        ("{{duration|m=4|s=5}}", "4:05"),
        ("{{circa|1900}}", "c. 1900"),
    ],
)
def test_templates_of_dates(markup: str, text: str) -> None:
    assert reader_text(markup) == text


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("{{unbulleted list|a|b}}", "a, b"),
        ("{{ubl|a|b|class=x}}", "a, b"),
        ("{{plainlist|\n* a\n* b\n}}", "a, b"),
        ("{{flatlist|\n* [[a]]\n* b}}", "a, b"),
        ("{{hlist|a|b}}", "a, b"),
        ("{{nowrap|a {{small|b}}}}", "a b"),
        ("{{abbr|No.|Number}}", "No."),
        ("{{lang|fr|bonjour}}", "bonjour"),
        ("{{nihongo|Tokyo|東京|Tōkyō}}", "Tokyo (東京, Tōkyō)"),
        ("{{color|red|x}}", "x"),
        ("{{yes}} {{no|Never}} {{n/a}}", "Yes Never N/A"),
        ("{{Won}}", "Won"),
        ("{{nom}}", "Nominated"),
        ("a{{spnd}}b{{ndash}}c", "a – b–c"),
        ("x{{efn|y}}{{refn|group=a|z}}{{citation needed|date=May 2008}}", "x"),
        ("x{{cite web|url=http://a.org|title=T}}", "x"),
        ("{{increase}} 5", "5"),
        ('a{{-}}b{{\'"}}c{{"}}', 'ab\'"c"'),
        ("{{INS|Vikrant||2}}", "INS Vikrant"),
        ("{{gold medal}}", "Gold"),
        ("{{HMS|Victory||2}}", "HMS Victory"),
        ("{{USS|Enterprise|CVN-65}}", "USS Enterprise (CVN-65)"),
        ("{{sclass|Nimitz|aircraft carrier}}", "Nimitz-class aircraft carrier"),
        ("{{coord|57|18|22|N|4|27|32|W}}", "57°18′22″N 4°27′32″W"),
        ("{{URL|http://a.org|site}}", "site"),
        ("{{template:nowrap|a}} {{Nowrap|b}} {{no_wrap|c}}", "a b c"),
        ("{{#if:x|y|z}}", ""),
    ],
)
def test_other_templates(markup: str, text: str) -> None:
    assert reader_text(markup) == text


def test_templates_without_a_rule_show_their_positional_text_and_are_named() -> None:
    found = shown("{{no such|a|#ff0000|style=x|20px|b}} {{yes}}")
    assert (found.text, found.unknown) == ("a b Yes", ("no such",))


def test_every_template_of_the_data_file_is_named_once() -> None:
    groups = yaml.safe_load((DATA / "templates.yaml").read_text(encoding="utf-8"))
    lists = [part for group in groups.values() for part in (group.values() if isinstance(group, dict) else [group])]
    names = [name.strip() for part in lists for name in part.split(",")]
    assert [name for name in names if name != name.lower() or names.count(name) > 1] == []


def test_no_rule_depends_on_the_day() -> None:
    assert [reader_text(f"{{{{{name}|1980|5|12}}}}") for name in ("age", "time ago", "age in days")] == ["", "", ""]
