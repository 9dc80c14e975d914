"""Stop means stop: from any thread, in under three seconds, also while a tool sleeps. What is stopped can be resumed."""

import asyncio
import threading
import time

from prudent import Agent, tool
from prudent.models.scripted import ScriptedModel, call


@tool(effect="read", run_in="process", timeout_seconds=60)
def search_archive(words: str) -> str:
    """Search the archive; a process of its own, so that it can be killed in the middle of a sleep."""
    time.sleep(50)
    return f"nothing about {words}"


agent = Agent(
    ScriptedModel([call("search_archive", words="lamps"), "I was stopped before I found out."]), tools=[search_archive]
)

if __name__ == "__main__":
    run = agent.prepare("What does the archive say about lamps?")
    threading.Timer(1.0, run.stop, ["not needed any more"]).start()
    began = time.monotonic()
    result = asyncio.run(run.work())
    print(f"{result.status}: {result.error}; in time: {time.monotonic() - began < 4}")
    print(asyncio.run(agent.resume(result.run_id).work()).output)

# prints:
# stopped: not needed any more; in time: True
# I was stopped before I found out.
