"""Python files named by path: an agent in `agents.py:support`, a tool in `tools.py:lookup`."""

from __future__ import annotations

import hashlib
import importlib.util
import linecache
import sys
import traceback
from pathlib import Path
from types import ModuleType

from prudent.errors import ConfigurationError, PrudentError
from prudent.nearest import nearest


def split_reference(reference: str) -> tuple[str, str]:
    """Split `FILE.py:NAME` into file and name; the name is "" where only a file is given."""
    file, colon, name = reference.rpartition(":")
    if colon and file.lower().endswith(".py"):
        return file, name
    return reference, ""


def load_python_file(path: Path) -> ModuleType:
    """Import a file by its path, once, under a name that stays the same from run to run.

    Its folder joins `sys.path`, so that it can import its neighbours. The module is called as an import from that folder
    would call it, unless another module has that name already.
    """
    path = path.resolve()
    if not path.is_file():
        raise ConfigurationError(f"there is no file {path}{_nearest_file(path)}")
    folder = str(path.parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    name = _module_name(path)
    loaded = sys.modules.get(name)
    if loaded is not None:
        return loaded
    return _execute(name, path)


def find_name(module: ModuleType, name: str, path: Path) -> object:
    """Give what a file defines under a name, dots allowed; a ConfigurationError names the nearest otherwise."""
    found: object = module
    for part in name.split("."):
        if not hasattr(found, part):
            public = [known for known in vars(found) if not known.startswith("_")] if hasattr(found, "__dict__") else []
            raise ConfigurationError(f"{path.name} has no {name!r}{nearest(part, public)}")
        found = getattr(found, part)
    return found


def _module_name(path: Path) -> str:
    stem = path.stem
    owner = sys.modules.get(stem)
    if stem.isidentifier() and (owner is None or _file_of(owner) == path) and stem not in sys.stdlib_module_names:
        return stem
    return f"{stem if stem.isidentifier() else 'file'}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"


def _file_of(module: ModuleType) -> Path | None:
    file = getattr(module, "__file__", None)
    return Path(file).resolve() if file else None


def _execute(name: str, path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ConfigurationError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except KeyboardInterrupt:
        sys.modules.pop(name, None)
        raise
    except BaseException as error:  # whatever the file raises is reported in its own terms, SystemExit included
        sys.modules.pop(name, None)
        raise ConfigurationError(_in_the_files_terms(error, path)) from error
    return module


def _in_the_files_terms(error: BaseException, path: Path) -> str:
    """Say what went wrong in a user's file: `agents.py:12: NameError: name 'tol' is not defined`."""
    if isinstance(error, SyntaxError):
        return f"{Path(error.filename or path).name}:{error.lineno}: {type(error).__name__}: {error.msg}"
    place, source = _innermost_place(error, path)
    if isinstance(error, SystemExit):
        return f"{place}: the file ends the program ({error.code!r}); guard that with `if __name__ == '__main__':`"
    text = str(error) if isinstance(error, PrudentError) else f"{type(error).__name__}: {error}".rstrip(": ")
    if isinstance(error, ModuleNotFoundError):
        text += " (is it installed in this environment?)"
    return f"{place}: {text}" + (f"\n    {source}" if source else "")


def _innermost_place(error: BaseException, path: Path) -> tuple[str, str]:
    """Find the last line of the user's own code that the error came through: the file itself, or a neighbour of it."""
    folder = path.parent
    found, line = path, 0
    for frame in traceback.extract_tb(error.__traceback__):
        file = Path(frame.filename)
        own = file.is_absolute() and file.is_relative_to(folder) and "site-packages" not in file.parts
        if own and not file.is_relative_to(Path(__file__).parents[1]):
            found, line = file, frame.lineno or 0
    shown = found.relative_to(folder) if found.is_relative_to(folder) else found
    return (f"{shown}:{line}" if line else str(shown)), linecache.getline(str(found), line).strip()


def _nearest_file(path: Path) -> str:
    if not path.parent.is_dir():
        return ""
    return nearest(path.name, [neighbour.name for neighbour in path.parent.iterdir()])
