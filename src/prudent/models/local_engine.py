"""llama.cpp in this process: loaded once a file, asked by one generation at a time, stopped at the next token."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
import threading
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

from prudent.errors import ConfigurationError, MissingExtra
from prudent.types import JSONObject

Chunk: TypeAlias = dict[str, Any]
"""A piece of a reply as the engine gives it (OpenAI's chunk)."""

_PROMPT_BATCH_TOKENS = 64
"""The engine can be stopped only between batches: 64 cost it 8 % of its speed and bound the wait to about 2 s on 1.5B."""

_QUIET = -1
_POLL_SECONDS = 0.05
_EXIT_WAIT_SECONDS = 2.5

_engines: dict[tuple[str, int, int], Engine] = {}
_engines_lock = threading.Lock()


def engine_for(path: Path, *, threads: int, context_tokens: int) -> Engine:
    """Give this process's engine for a model file; it is shared, and loads the file when first asked.

    Raises:
        MissingExtra: xllamacpp is not installed.
    """
    if find_spec("xllamacpp") is None:
        raise MissingExtra("the embedded model", "local")
    key = (str(path.resolve()), threads, context_tokens)
    with _engines_lock:
        return _engines.setdefault(key, Engine(path, threads=threads, context_tokens=context_tokens))


class Engine:
    """One model file in memory."""

    def __init__(self, path: Path, *, threads: int, context_tokens: int) -> None:
        self.path = path
        self.threads = threads
        self.context_tokens = context_tokens
        self._server: Any = None
        self._turn = threading.Lock()
        self._running: Generation | None = None

    def generate(self, generation: Generation) -> None:
        """Run one generation to its end; those of other runs wait for theirs."""
        while not self._turn.acquire(timeout=_POLL_SECONDS):
            if generation.stopped:
                return
        try:
            self._running = generation
            if self._server is None:
                self._server = self._load()
                atexit.register(self._end)
            if not generation.stopped:
                self._server.handle_chat_completions(generation.body, generation.take)
        finally:
            self._running = None
            self._turn.release()

    def _load(self) -> Any:
        """Read the file. The library insists on listening: on a socket in a private folder that is unlinked at once."""
        xllamacpp: Any = import_module("xllamacpp")  # optional, slow to import, and without types

        parameters = xllamacpp.CommonParams()
        parameters.model.path = str(self.path)
        parameters.n_ctx = self.context_tokens
        parameters.n_parallel = 1
        parameters.cache_ram_mib = 0
        parameters.n_batch = parameters.n_ubatch = _PROMPT_BATCH_TOKENS
        parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = self.threads
        parameters.warmup = False
        parameters.verbosity = _QUIET
        folder = tempfile.mkdtemp(prefix="prudent-")
        parameters.hostnames = [os.path.join(folder, "engine.sock")]  # noqa: PTH118 -- the engine takes text
        try:
            return xllamacpp.Server(parameters)
        except RuntimeError as error:
            raise ConfigurationError(f"{self.path} cannot be loaded: is it a whole GGUF file that llama.cpp knows?") from error
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _end(self) -> None:
        """Stop what still runs when the process ends, since the engine aborts the process when it is torn down at work."""
        if self._running:
            self._running.stop()
        if self._turn.acquire(timeout=_EXIT_WAIT_SECONDS):
            self._server = None


class Generation:
    """One request at work in a thread of its own, which outlives a stop by one token, or one batch of the prompt."""

    def __init__(self, engine: Engine, body: JSONObject, deliver: Callable[[Chunk | BaseException | None], None]) -> None:
        self.body: JSONObject = {**body, "stream": True, "stream_options": {"include_usage": True}, "return_progress": True}
        self.stopped = False
        self._engine = engine
        self._deliver = deliver

    def start(self) -> None:
        """Begin; every chunk is delivered, then None or an error."""
        threading.Thread(target=self._work, name="prudent-local", daemon=True).start()

    def stop(self) -> None:
        """Ask it to end; nothing is delivered any more."""
        self.stopped = True

    def take(self, chunk: Chunk) -> bool:
        """Take a chunk from the engine; True ends the generation."""
        if not self.stopped:
            self._deliver(chunk)
        return self.stopped

    def _work(self) -> None:
        try:
            self._engine.generate(self)
        except Exception as error:  # whatever it is, it has to reach the one who waits
            self._deliver(error)
        else:
            self._deliver(None)
