"""Files of official releases, fetched where they are not at hand: pinned addresses, checked contents, resumable."""

from __future__ import annotations

import logging
import shutil
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pooch
import requests
from tqdm import tqdm

from workbench_lib.errors import WorkbenchError
from workbench_lib.files import replacing
from workbench_lib.locks import hold
from workbench_lib.paths import data_root, home
from workbench_lib.tasks import Remote

SCHEME = "https://"
TIMEOUT_S = 30
FETCHING_TAKES_S = 3600.0  # at most, when another process fetches the same folder
_CHUNK_BYTES = 1 << 13


class FetchError(WorkbenchError):
    """A file of a release is neither at hand nor could it be fetched."""


def official_folder(name: str, remotes: Sequence[Remote] = ()) -> Path:
    """The folder of a task's official files: under WORKBENCH_DATA, or where they were fetched to, now or before.

    Raises:
        FetchError: it is not under WORKBENCH_DATA, and cannot be fetched; names the first file that is missing, and
            where it is looked for.
    """
    root = data_root()
    if root is not None and (root / name).is_dir():
        return root / name
    folder = home() / "downloads" / name
    if not remotes:
        raise FetchError(f"data: official means the folder {name!r} under WORKBENCH_DATA={root}, which is not there")
    missing = [remote for remote in remotes if not (folder / remote.path).exists()]
    if missing:
        folder.mkdir(parents=True, exist_ok=True)
        with hold(folder, wait_s=FETCHING_TAKES_S):
            for remote in missing:
                _fetch(remote, folder)
    return folder


def _fetch(remote: Remote, folder: Path) -> None:
    target = folder / remote.path
    name = Path(remote.url).name if remote.member else remote.path
    pooch.get_logger().setLevel(logging.WARNING)
    print(f"fetching {target.relative_to(folder.parent)} from {remote.url}")
    try:
        fetched = pooch.retrieve(remote.url, f"sha256:{remote.sha256}", name, folder, downloader=_go_on_with)
        if remote.member:
            _take_out(Path(fetched), remote.member, target)
    except (requests.RequestException, OSError, ValueError, KeyError, zipfile.BadZipFile, FetchError) as error:
        root = data_root()
        looked = "WORKBENCH_DATA is not set" if root is None else f"not under WORKBENCH_DATA={root}"
        raise FetchError(
            f"{folder.name}/{remote.path} is not here ({looked}), and could not be fetched from {remote.url}: "
            f"{_reason(error)}; put it at {target}"
        ) from None


def _go_on_with(url: str, output_file: str, _: Any) -> None:
    """Fetch a file for pooch; what was fetched before a break is kept beside it, and gone on with."""
    if not url.startswith(SCHEME):
        raise FetchError(f"{url} is no {SCHEME} address")
    part = Path(output_file).parent / f".{Path(url).name}.part"
    have = part.stat().st_size if part.exists() else 0
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
    with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT_S) as answer:
        if not answer.url.startswith(SCHEME):
            raise FetchError(f"{url} leads to {answer.url}, which is no {SCHEME} address")
        is_whole = answer.status_code == requests.codes.requested_range_not_satisfiable
        if not is_whole:
            answer.raise_for_status()
            is_rest = answer.status_code == requests.codes.partial_content
            _write(answer, part, "ab" if is_rest else "wb")
    shutil.move(part, output_file)


def _write(answer: requests.Response, part: Path, mode: str) -> None:
    with (
        part.open(mode) as file,
        tqdm(desc=part.name, unit="B", unit_scale=True, mininterval=5, disable=None) as bar,
    ):
        for chunk in answer.iter_content(_CHUNK_BYTES):
            file.write(chunk)
            bar.update(len(chunk))


def _take_out(archive: Path, member: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with replacing(target) as temporary, temporary.open("wb") as file, zipfile.ZipFile(archive) as files:
        shutil.copyfileobj(files.open(member), file)


def _reason(error: Exception) -> str:
    """What went wrong, without the inner workings of the network library."""
    if isinstance(error, requests.ConnectionError):
        return "no connection"
    return " ".join(str(error).split())
