"""How to test an agent: a scripted model in place of its own, and the record to look at. Run it with pytest."""

from pathlib import Path

from prudent import Agent, tool
from prudent.models.scripted import ScriptedModel, call


@tool(effect="write", confirm="always")
def send(to: str, text: str) -> str:
    """Send a message."""
    raise AssertionError("a test must not send anything")


agent = Agent("deepseek:deepseek-chat", tools=[send])


def test_it_asks_before_it_sends(tmp_path: Path) -> None:
    model = ScriptedModel([call("send", to="ann@example.org", text="Hello")])
    result = agent.run_sync("Greet Ann.", model=model, db=tmp_path / "agent.db")
    model.assert_finished()
    assert result.status == "awaiting_approval"
    assert result.pending[0]["arguments"] == {"to": "ann@example.org", "text": "Hello"}


def test_it_is_told_what_is_wrong(tmp_path: Path) -> None:
    model = ScriptedModel([call("send", address="ann"), "I cannot send that."])
    result = agent.run_sync("Greet Ann.", model=model, db=tmp_path / "agent.db")
    assert result.status == "completed"
    assert "invalid_arguments" in model.requests[1].messages[-1].text
    assert "send" in [spec.name for spec in model.requests[0].tools]
