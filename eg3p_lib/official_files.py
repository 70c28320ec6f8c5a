"""Where the official files of the data sets can be fetched from: addresses that do not change, and their contents."""

from __future__ import annotations

from workbench_lib.tasks import Remote

_EXPLAGRAPHS = "https://raw.githubusercontent.com/swarnaHub/ExplaGraphs/67ecab19d9a13ab91e09e99bd94e0480b705c1b7/data"
_COMMONSENSEQA = "https://s3.amazonaws.com/commensenseqa"
_OPENBOOKQA = "https://ai2-public-datasets.s3.amazonaws.com/open-book-qa/OpenBookQA-V1-Sep2018.zip"
_OPENBOOKQA_SHA256 = "82368cf05df2e3b309c17d162e10b888b4d768fad6e171e0a041954c8553be46"

EXPLAGRAPHS_FILES = tuple(
    Remote(name, f"{_EXPLAGRAPHS}/{name}", sha256)
    for name, sha256 in {
        "train.tsv": "83eb96f38b1d91d0299924f6050c3ec173a7c5c5a7a3921908cc7fd46d27bba3",
        "dev.tsv": "1b7e069501cf6f2d7f5d98fe6f0950ee8bd9a0f1986054ecb23873854993745a",
        "test_no_labels.tsv": "e36bdd57fb603e6c8fa8106ecce9dc881ca29aa732d37733293ec2b8e1f3af9f",
        "refinement_graphs_train.tsv": "2d5b1aee89988272a754c6a2fa28fb8de70bb62ab397bcb8432f0b7d81617584",
        "relations.txt": "fa067901224e660573cb67ea691a96d3d21e20440f1f94ae26341ae645ab799d",
    }.items()
)
COMMONSENSEQA_FILES = tuple(
    Remote(name, f"{_COMMONSENSEQA}/{name}", sha256)
    for name, sha256 in {
        "train_rand_split.jsonl": "58ffa3c8472410e24b8c43f423d89c8a003d8284698a6ed7874355dedd09a2fb",
        "dev_rand_split.jsonl": "3210497fdaae614ac085d9eb873dd7f4d49b6f965a93adadc803e1229fd8a02a",
    }.items()
)
OPENBOOKQA_FILES = tuple(
    Remote(
        f"Data/Main/{split}.jsonl", _OPENBOOKQA, _OPENBOOKQA_SHA256, f"OpenBookQA-V1-Sep2018/Data/Main/{split}.jsonl"
    )
    for split in ("train", "dev", "test")
)
