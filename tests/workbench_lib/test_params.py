"""A parameter that is unknown, missing or mistyped stops before any work, and its error helps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from workbench_toys import ToyStage

from workbench_lib import params
from workbench_lib.params import ParameterError, load_params, load_yaml, model_of, notebook_path


def fault(values: dict[str, Any]) -> str:
    with pytest.raises(ParameterError) as caught:
        ToyStage.make(values, "here")
    return str(caught.value)


def test_make_gives_the_values() -> None:
    made = ToyStage.make({"seed": 1, "levels": ["easy", "hard"]})
    assert (made.seed, made.rate, made.levels) == (1, 0.5, ["easy", "hard"])


def test_p01_an_unknown_name_is_named_with_the_nearest_known_one() -> None:
    assert fault({"seed": 1, "sede": 7}) == "here: unknown parameter 'sede' (did you mean 'seed'?)"


def test_an_unknown_name_like_no_other_lists_the_known_ones() -> None:
    assert fault({"seed": 1, "zzz": 7}) == (
        "here: unknown parameter 'zzz' (known: flag, levels, name, rate, seed, workers)"
    )


def test_a_missing_name_is_named() -> None:
    assert fault({"rate": 0.1}) == "here: 'seed' is missing"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("seed", True), ("seed", 1.0), ("seed", "7"), ("seed", None), ("rate", "abc"), ("rate", True), ("flag", 1)),
        *(("name", 7), ("levels", "easy"), ("levels", [1])),
    ],
)
def test_a_value_of_another_type_is_refused_and_shown(name: str, value: Any) -> None:
    text = fault({"seed": 1, name: value})
    shown = value[0] if isinstance(value, list) else value
    assert text.startswith(f"here: '{name}")
    assert repr(shown) in text


def test_an_integer_is_taken_for_a_float() -> None:
    made = ToyStage.make({"seed": 1, "rate": 2})
    assert made.rate == 2.0
    assert isinstance(made.rate, float)
    assert made.run_id() == ToyStage.make({"seed": 1, "rate": 2.0}).run_id()


def test_a_number_that_yaml_read_as_text_gets_a_hint_that_works() -> None:
    text = fault({"seed": 1, "rate": yaml.safe_load("1e-5")})
    assert "'rate' is '1e-5'" in text
    assert text.endswith("so write 1e-05 as 1.0e-5)")
    assert yaml.safe_load("1.0e-5") == 1e-5


def test_the_hint_for_a_large_number_works_too() -> None:
    hint = fault({"seed": 1, "rate": "1e5"}).rsplit(" as ", 1)[1].removesuffix(")")
    assert yaml.safe_load(hint) == 1e5


def test_text_that_is_no_number_gets_no_hint() -> None:
    assert "yaml reads" not in fault({"seed": "abc"})


def test_p03_values_that_papermill_cannot_carry_are_refused() -> None:
    assert "'name'" in fault({"seed": 1, "name": Path("data/a b")})
    assert "'levels'" in fault({"seed": 1, "levels": {"easy"}})
    assert "'levels'" in fault({"seed": 1, "levels": "(1, 2)"})  # what papermill makes of a tuple
    assert fault({"my-seed": 3}) == "here: unknown parameter 'my-seed' (did you mean 'seed'?)"


# --- yaml files -------------------------------------------------------------------------------------------------


def yaml_fault(path: Path, text: str | bytes) -> str:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ParameterError) as caught:
        load_yaml(path)
    return str(caught.value)


def test_load_yaml_reads_names_and_values(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("# comment\nseed: 1\nlevels: [a, b]\n")
    assert load_yaml(tmp_path / "a.yaml") == {"seed": 1, "levels": ["a", "b"]}


def test_a_missing_yaml_file_suggests_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "small.yaml").write_text("seed: 1\n")
    with pytest.raises(ParameterError, match=r"smal\.yaml: no such file \(did you mean 'small'\?\)"):
        load_yaml(tmp_path / "smal.yaml")


def test_what_is_not_yaml_is_one_line_with_its_place(tmp_path: Path) -> None:
    text = yaml_fault(tmp_path / "a.yaml", "seed: 1\nrate: [1, 2\nname: a\n")
    assert text.startswith(f"{tmp_path / 'a.yaml'}, line 3: not yaml: ")
    assert "\n" not in text


def test_bytes_that_are_not_utf8_are_not_yaml(tmp_path: Path) -> None:
    assert "a.yaml: not yaml" in yaml_fault(tmp_path / "a.yaml", b"name: \xff\xfe\n")


@pytest.mark.parametrize("text", ["- seed\n- 1\n", "", "seed\n", "1: 2\n"])
def test_anything_but_names_and_values_is_refused(tmp_path: Path, text: str) -> None:
    assert yaml_fault(tmp_path / "a.yaml", text).endswith("must hold `name: value` lines")


def test_a_name_given_twice_is_refused(tmp_path: Path) -> None:
    assert "seed" in yaml_fault(tmp_path / "a.yaml", "seed: 1\nrate: 0.5\nseed: 2\n")


# --- presets of notebooks ----------------------------------------------------------------------------------------


@pytest.mark.usefixtures("project")
def test_load_params_puts_changes_on_top_of_the_preset() -> None:
    assert load_params("01_graph_synthesis", "small").seed == 14  # type: ignore[attr-defined]
    assert load_params("01_graph_synthesis", "small", {"seed": 3}).seed == 3  # type: ignore[attr-defined]


def test_a_fault_in_a_preset_names_its_file_even_where_a_change_would_hide_it(project: Path) -> None:
    path = project / "params/01_graph_synthesis/tiny.yaml"
    path.write_text("# a comment\nseed: x\n")
    with pytest.raises(ParameterError, match=rf"{path}, line 2: 'seed' is 'x'"):
        load_params("01_graph_synthesis", "tiny", {"seed": 3})


@pytest.mark.usefixtures("project")
def test_a_fault_in_a_change_names_notebook_and_preset() -> None:
    with pytest.raises(ParameterError, match="01_graph_synthesis at preset tiny: unknown parameter 'sed'"):
        load_params("01_graph_synthesis", "tiny", {"sed": 3})


@pytest.mark.usefixtures("project")
def test_an_unknown_notebook_suggests_the_nearest() -> None:
    with pytest.raises(ParameterError, match=r"'01_graph_syntesis' \(did you mean '01_graph_synthesis'\?\)"):
        notebook_path("01_graph_syntesis")


def test_a_notebook_that_names_no_model_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text('{"metadata": {}, "cells": []}')
    with pytest.raises(ParameterError, match="names no parameter model"):
        model_of(tmp_path / "a.ipynb")


# --- inside a notebook -------------------------------------------------------------------------------------------

IMPORTS = "from workbench_toys import ToyStage"
PARAMETERS = "seed = 1\nrate = 0.5"
CHECK = "params = ToyStage.from_notebook(globals())"


def in_notebook(*cells: str, **names: Any) -> ToyStage:
    """As in a kernel: the cells that ran, and the names that they left."""
    return ToyStage.from_notebook({"In": ["", IMPORTS, *cells, CHECK], **names})


def notebook_fault(*cells: str, **names: Any) -> str:
    with pytest.raises(ParameterError) as caught:
        in_notebook(*cells, **names)
    return str(caught.value)


def test_from_notebook_takes_the_fields_among_the_names() -> None:
    made = in_notebook(PARAMETERS, "# Parameters\nseed = 7\n", seed=7, rate=0.5, Path=Path, other=3)
    assert made == ToyStage(seed=7, rate=0.5)


def test_p01_an_injected_cell_with_an_unknown_name_is_refused() -> None:
    text = notebook_fault(PARAMETERS, "# Parameters\nsede = 7\n", seed=1, rate=0.5, sede=7)
    assert text == "notebook: unknown parameter 'sede' (did you mean 'seed'?)"


def test_a_parameter_cell_with_a_stray_name_is_refused() -> None:
    text = notebook_fault("seed = 1\nrat: float = 0.5", seed=1, rat=0.5)
    assert text == "notebook: unknown parameter 'rat' (did you mean 'rate'?)"


def test_a_cell_that_has_nothing_to_do_with_parameters_is_not_refused() -> None:
    made = in_notebook(PARAMETERS, CHECK, "n = 5", "seed = made.seed\nm = 3", "for seed in x: y = 1", seed=1, n=5)
    assert made.seed == 1


def test_a_name_that_the_notebook_lacks_is_missing() -> None:
    assert notebook_fault("rate = 0.5", rate=0.5) == "notebook: 'seed' is missing"


def test_text_for_a_number_is_refused_inside_a_notebook() -> None:
    text = notebook_fault(PARAMETERS, '# Parameters\nrate = "1e-5"\n', seed=1, rate="1e-5")
    assert text.startswith("notebook: 'rate' is '1e-5'")
    assert text.endswith("write 1e-05 as 1.0e-5)")


def test_outside_a_kernel_the_names_alone_are_checked() -> None:
    assert ToyStage.from_notebook({"seed": 4}).seed == 4


def test_an_unknown_name_is_refused_beside_a_value_that_is_no_literal() -> None:
    cell = "# Parameters\nsede = 7\nrate = float('inf')\n"
    assert "'sede'" in notebook_fault(PARAMETERS, cell, seed=1, rate=float("inf"), sede=7)


def test_a_mended_parameter_cell_is_accepted_when_it_is_run_again() -> None:
    made = in_notebook("seed = 1\nsede = 7", CHECK, "seed = 7", seed=7, sede=7)
    assert made.seed == 7


# --- ids of runs -------------------------------------------------------------------------------------------------


def test_a_run_id_is_stage_slug_and_eight_digits() -> None:
    stage, slug, digest = ToyStage(seed=1, name="graphs").run_id().split("-")
    assert (stage, slug, len(digest)) == ("toy", "graphs", 8)
    assert set(digest) <= set("0123456789abcdef")


def test_an_id_follows_what_decides_the_result() -> None:
    first = ToyStage(seed=1)
    assert ToyStage(seed=1).run_id() == first.run_id()
    assert ToyStage(seed=2).run_id() != first.run_id()
    assert ToyStage(seed=1, levels=["easy", "hard"]).run_id() != first.run_id()
    assert ToyStage(seed=1, workers=8).run_id() == first.run_id()


def test_an_id_follows_version_and_identities(monkeypatch: pytest.MonkeyPatch) -> None:
    before = ToyStage(seed=1).run_id()
    monkeypatch.setattr(ToyStage, "identities", lambda self: {"source": "0123"})
    with_source = ToyStage(seed=1).run_id()
    monkeypatch.setattr(ToyStage, "version", 2)
    assert len({before, with_source, ToyStage(seed=1).run_id()}) == 3


def test_parameters_are_frozen() -> None:
    with pytest.raises(ValueError, match="frozen"):
        ToyStage(seed=1).seed = 2


def test_the_real_folders_are_the_default() -> None:
    assert params.PARAMS_DIR.name == "params"
    assert notebook_path("03_pretraining").is_file()
