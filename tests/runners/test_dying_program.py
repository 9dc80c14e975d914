"""What is left of a program's tools when the program dies: nothing. And what is said where that cannot be known."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import prudent

TAG = "PRUDENT_TEST_TAG"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are killed for sure on Linux")

PROGRAM = """
import asyncio, importlib.util, os, sys, threading, time
from prudent.runners.process import ProcessRunner
from prudent.tools.context import Context

file, folder, how = sys.argv[1:]
spec = importlib.util.spec_from_file_location("kit_of_a_program", file)
kit = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = kit
spec.loader.exec_module(kit)

async def call(runner, name, arguments):
    marker = os.path.join(folder, name)
    await runner.run(getattr(kit, name), {"marker": marker, **arguments}, Context(call_id=name, timeout_seconds=90))

async def fork_an_heir():
    # it holds copies of all descriptors, so that the zygote sees no end of file when the program dies
    while len([name for name in os.listdir(folder) if name.endswith(".begun")]) < 3:
        await asyncio.sleep(0.01)
    pid = os.fork()
    if pid == 0:
        time.sleep(60)
        os._exit(0)
    with open(os.path.join(folder, "heir"), "w") as out:
        out.write(str(pid))

async def main():
    runner = ProcessRunner()
    calls = [("sleep_deaf", {"seconds": 60}), ("power", {}), ("daemonise", {"seconds": 60})]
    await asyncio.gather(*(call(runner, *each) for each in calls), *([fork_an_heir()] if how == "heir" else []))

if how == "thread":
    # the thread that starts the zygote ends, the program goes on
    adding = ProcessRunner().run(kit.add, {"a": 1}, Context(timeout_seconds=30))
    thread = threading.Thread(target=asyncio.run, args=(adding,))
    thread.start()
    thread.join()
asyncio.run(main())
"""


def normal_user() -> list[str]:
    """Give the words before a command that make a normal user run it."""
    if os.geteuid() != 0 or shutil.which("setpriv") is None:
        pytest.skip("only root can become a normal user")
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


@pytest.fixture
def environment(tag: str) -> dict[str, str]:
    """Everything that is set, and where our packages are."""
    packages = [str(Path(prudent.__file__).parents[1]), sysconfig.get_path("purelib")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(packages), "PYTHONDONTWRITEBYTECODE": "1"}


def find_python(user: list[str], environment: dict[str, str]) -> str:
    """Find a Python that this user may run, with our packages."""
    for python in (sys.executable, "/usr/bin/python3"):
        # by way of a shell: what setpriv itself starts may be out of the user's own reach
        command = [*user, "sh", "-c", 'exec "$0" -c "import pydantic, anyio, prudent"', python]
        done = subprocess.run(command, env=environment, cwd="/", stderr=subprocess.DEVNULL, check=False)
        if done.returncode == 0:
            return python
    pytest.skip("there is no Python that a normal user may run with our packages")


@pytest.fixture
def open_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder that other users can reach."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o777)
        (folder / "kit.py").write_text(Path(__file__).with_name("kit.py").read_text())
        yield folder


ONE_CALL = """
import asyncio, importlib.util, sys
from prudent.errors import ToolTimedOut
from prudent.runners.process import ProcessRunner
from prudent.tools.context import Context
spec = importlib.util.spec_from_file_location("kit_of_a_program", sys.argv[1])
kit = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = kit
spec.loader.exec_module(kit)
async def main():
    runner = ProcessRunner()
    try:
        await runner.run(kit.shell, {"command": sys.argv[2]}, Context(call_id="c", timeout_seconds=1))
    except ToolTimedOut as error:
        print(error.killed, runner.left_running("c"), await runner.run(kit.add, {"a": 1}, Context(timeout_seconds=30)))
    await runner.aclose()
asyncio.run(main())
"""


def test_without_proc_nobody_claims_that_all_is_gone(tmp_path: Path):
    hide = ["unshare", "--mount", "sh", "-c", 'umount -l /proc && exec "$@"', "sh"]
    try:
        hidden = subprocess.run([*hide, "true"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        hidden = False
    if not hidden:
        pytest.skip("/proc cannot be taken away here")
    kit_file = str(Path(__file__).with_name("kit.py"))
    command = [*hide, sys.executable, "-c", ONE_CALL, kit_file, "sleep 60"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "False True 2\n", done.stderr


def test_a_process_that_may_not_be_killed_is_told_of(
    tag: str, tagged: Callable[[], set[int]], open_folder: Path, environment: dict[str, str]
):
    """A normal user starts a program that becomes root: it cannot be killed, and nobody says that it was."""
    become = normal_user()
    to_root = open_folder / "to_root"
    shutil.copy(str(shutil.which("setpriv")), to_root)
    to_root.chmod(0o4755)
    shell = f"{to_root} --reuid=0 --regid=0 --clear-groups env {TAG}={tag} sleep 60 >/dev/null 2>&1"
    command = [*become, find_python(become, environment), "-c", ONE_CALL, str(open_folder / "kit.py"), shell]
    try:
        done = subprocess.run(command, env=environment, cwd="/", capture_output=True, text=True, timeout=60, check=False)
        left = tagged()
    finally:
        for pid in tagged():
            os.kill(pid, signal.SIGKILL)
    assert done.stdout == "False True 2\n", done.stderr
    assert len(left) == 1


@pytest.mark.parametrize(
    ("how", "user", "whole_group"),
    [
        ("plain", "me", True),
        ("plain", "me", False),
        ("plain", "nobody", True),
        ("plain", "nobody", False),
        ("thread", "me", False),
        ("heir", "me", False),
    ],
)
def test_nothing_outlives_a_killed_program(
    tag: str,
    tagged: Callable[[], set[int]],
    eventually: Callable[..., float],
    open_folder: Path,
    environment: dict[str, str],
    how: str,
    user: str,
    whole_group: bool,
):
    become = normal_user() if user == "nobody" else []
    python = find_python(become, environment) if become else sys.executable
    command = [*become, python, "-c", PROGRAM, str(open_folder / "kit.py"), str(open_folder), how]
    program = subprocess.Popen(command, env=environment, cwd="/", start_new_session=True)
    heirs: set[int] = set()
    try:
        begun = ["sleep_deaf.begun", "power.begun", "daemonise.begun", *(["heir"] if how == "heir" else [])]
        eventually(lambda: program.poll() is not None or all((open_folder / name).exists() for name in begun), seconds=60)
        assert program.poll() is None
        if how == "heir":
            eventually((open_folder / "heir").read_text)
            heirs.add(int((open_folder / "heir").read_text()))
        assert len(tagged()) >= 6  # the program, the zygote, three workers, one twice removed
        if whole_group:
            os.killpg(program.pid, signal.SIGKILL)
        else:
            program.kill()
        program.wait()
        took = eventually(lambda: tagged() <= heirs, seconds=10)
    finally:
        for pid in tagged():
            os.kill(pid, signal.SIGKILL)
        program.wait()
    assert took < 3.0  # a tenth of a second on a quiet machine
