"""The parameters of the three stages that both papers share: pre-training, fine-tuning, analysis."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from workbench_lib import runs
from workbench_lib.errors import WorkbenchError
from workbench_lib.experiments import load_experiment
from workbench_lib.files import sha256_of_files
from workbench_lib.params import NOTEBOOKS_DIR, StageParams
from workbench_lib.paths import find_data, find_files, runs_dir
from workbench_lib.shapes import SHAPES
from workbench_lib.tasks import Task, get_task

Name = Annotated[str, Field(min_length=1)]
Count = Annotated[int, Field(ge=1)]
Limit = Annotated[int, Field(ge=0)]
Schedule = Literal["linear", "cosine", "polynomial", "constant"]
Share = Annotated[float, Field(gt=0, le=1)]
Rate = Annotated[float, Field(ge=0, lt=1)]
Weight = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class TrainingParams(StageParams):
    """What the training loop needs to know (both papers' settings are in the `paper` presets).

    Args:
        max_source_tokens, max_target_tokens: Longer training examples are left out, and counted.
        steps: Optimiser steps, at most.
        max_tokens, max_examples: Other limits, whichever comes first; 0 for none. Source and target tokens count,
            padding does not.
        tokens_a_batch: Source and target tokens of a batch, padding counted: what fits into a device's memory.
        batches_a_step: Batches of an optimiser step, over all processes.
        learning_rate: The peak; linear warm-up over `warmup_steps`, then `schedule` to 0.
        dropout: Of the model's layers.
        validate_every, generate_every, checkpoint_every: In steps; generated metrics never with 0.
        patience: Stop after so many validations that are not better than the best; 0 for never.
        keep: The weights that the run ends with: those of its last step, or of its best validation loss.
        compile: Compile the model with torch (minutes at first; worth it on GPUs).
        processes: Processes, one a device, that share the batches of a step.
        shard: Share out the weights over the processes, too, for models that do not fit into one device.
        seed: Of fresh weights, dropout and the order of examples.
    """

    max_source_tokens: Annotated[int, Field(ge=8, le=1024)]
    max_target_tokens: Annotated[int, Field(ge=8, le=1024)]
    steps: Count
    max_tokens: Limit
    max_examples: Limit
    tokens_a_batch: Annotated[int, Field(ge=64)]
    batches_a_step: Count
    learning_rate: Annotated[float, Field(gt=0, lt=1)]
    schedule: Schedule
    warmup_steps: Annotated[int, Field(ge=0)]
    weight_decay: Rate
    label_smoothing: Rate
    dropout: Rate
    clip_norm: Annotated[float, Field(gt=0)]
    validate_every: Count
    generate_every: Limit
    checkpoint_every: Annotated[int, Field(ge=10, multiple_of=10)]
    patience: Limit
    keep: Literal["last", "best"]
    compile: bool
    processes: Count
    shard: bool
    seed: Annotated[int, Field(ge=0)]

    not_in_id: ClassVar[frozenset[str]] = frozenset({"checkpoint_every", "processes", "shard"})


class PretrainingParams(TrainingParams):
    """Pre-training of a fresh or loaded model on a synthesised corpus, or on several.

    Args:
        corpus: The corpus's run: an id, or `notebook/preset`; or several, each with its weight in the mixture.
        corpus_share: The first part of each corpus's training rows that is used.
        model: A shape (tiny, small, base, large: fresh weights and a tokenizer trained on the corpus), or a local
            model folder or hub name to start from.
        vocabulary: Tokens of the trained tokenizer; a loaded model brings its own.
    """

    stage: ClassVar[str] = "pretraining"
    version: ClassVar[int] = 2
    corpus: Name | Annotated[dict[Name, Weight], Field(min_length=1)]
    corpus_share: Share
    model: Name
    vocabulary: Annotated[int, Field(ge=266)]

    @property
    def slug(self) -> str:
        sources = "+".join(runs.resolve(corpus).split("-")[0] for corpus in self.corpora)
        return f"{sources}-{self.model.rsplit('/')[-1]}-{self.corpus_share:g}"

    @property
    def corpora(self) -> dict[str, float]:
        """The corpora, each with its weight."""
        return {self.corpus: 1.0} if isinstance(self.corpus, str) else dict(self.corpus)

    def identities(self) -> dict[str, Any]:
        corpora = {runs.resolve(corpus): weight for corpus, weight in self.corpora.items()}
        return {"corpus": corpora, "model": model_identity(self.model)}

    def check(self) -> None:
        for corpus in self.corpora:
            runs.finished(corpus)


class FinetuningParams(TrainingParams):
    """Fine-tuning on a downstream task, then generation and scores on its `split`.

    Args:
        task: A registered task, such as explagraphs or wikitq.
        data: "starter" (built in), "official" (the task's folder under WORKBENCH_DATA, or fetched), or a folder.
        split: The split to score, dev or test.
        model: The pre-training run (an id, or `notebook/preset`), a local model folder, or a hub name.
        fresh_weights: Keep the model's shape and tokenizer but draw new weights: the run without pre-training.
        train_share: The part of the training examples that is used, chosen by seed.
        beams: Of the beam search; 1 is greedy.
        constrained: Let out texts of the task's notation alone (which lifts the metrics of structure).
        uses: What else the task uses, by the task's names for it: runs, model folders, hub names, or files.
    """

    stage: ClassVar[str] = "finetuning"
    version: ClassVar[int] = 2
    task: Name
    data: Name
    split: Literal["dev", "test"]
    model: Name
    fresh_weights: bool
    train_share: Share
    beams: Count
    constrained: bool
    uses: dict[Name, Name]

    @property
    def slug(self) -> str:
        return f"{self.task}-{'without' if self.fresh_weights else 'with'}"

    @property
    def data_folder(self) -> str:
        """ "starter", or the folder of the files as a path."""
        if self.data == "starter":
            return self.data
        if self.data != "official":
            return str(find_data(self.data))
        from workbench_lib.fetching import official_folder  # which knows the network: not for the other stages

        task = get_task(self.task)
        return str(official_folder(task.folder or task.name, task.files))

    @property
    def bound_task(self) -> Task:
        """The task, with what it uses."""
        return get_task(self.task).using(self.uses)

    def identities(self) -> dict[str, Any]:
        return {
            "task": f"{self.task}/{self.bound_task.version}",
            "data": folder_digest(Path(self.data_folder)) if self.data != "starter" else self.data,
            "model": model_identity(self.model),
            "uses": {name: used_identity(value) for name, value in self.uses.items()},
        }

    def check(self) -> None:
        if self.constrained and get_task(self.task).constraint is None:
            raise WorkbenchError(f"constrained: true, but the task {self.task!r} has no notation to hold texts to")
        for name in (self.model, *self.uses.values()):
            if is_run(name):
                runs.finished(name)


class AnalysisParams(StageParams):
    """Tables and figures from the runs of an experiment.

    Args:
        experiment: A file of `params/experiments/`, without its ending.
        preset: The preset at which the experiment was run.

    The id holds the finished runs, so that an analysis is made anew once more of them are finished.
    """

    stage: ClassVar[str] = "analysis"
    version: ClassVar[int] = 1
    experiment: str
    preset: str

    @property
    def slug(self) -> str:
        return f"{Path(self.experiment).stem}-{self.preset}"

    def identities(self) -> dict[str, Any]:
        planned = load_experiment(self.experiment).plan(self.preset)
        return {"experiment": [item.id for item in planned if item.run.is_done]}


def is_run(name: str) -> bool:
    """Whether a `model` parameter means a run of ours rather than a folder or a hub model."""
    stem, slash, _ = name.partition("/")
    if slash:  # which is in no id: a run's own model folder has a params.yaml, too
        return (NOTEBOOKS_DIR / f"{stem}.ipynb").exists()
    return (runs_dir() / name / "params.yaml").exists()


def model_identity(name: str) -> str:
    """What a `model` parameter stands for: a run's id, a local folder's digest, or a shape or hub name as it is."""
    if is_run(name):
        return runs.resolve(name)
    return folder_digest(Path(name)) if name not in SHAPES and Path(name).is_dir() else name


def model_folder(name: str) -> str:
    """Where a model lies: a run's folder of it, or the name itself.

    Raises:
        RunError: the run is not finished.
    """
    return str(runs.finished(name).model) if is_run(name) else name


def used_identity(name: str) -> str:
    """What a task uses: a model, or files by their contents."""
    identity = model_identity(name)
    files = find_files(name) if identity == name else []
    return sha256_of_files(files) if files else identity


def folder_digest(folder: Path) -> str:
    """One digest of a folder's files: names and contents."""
    return sha256_of_files(sorted(path for path in folder.rglob("*") if path.is_file()))
