"""A helpdesk that is played through real agents: its tools, and scripted runs drawn by a seed, with known defects in them.

What an audit should find: `get_weather` and `fetch_weather_data` are twins and taken for each other; an order is always
followed by its customer and the tickets; `serch_handbook` does not exist; `get_order` is called without its number now and
then; `convert_currency` is called once, `export_report` never.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from prudent import Agent, Budget, tool
from prudent.errors import ToolError
from prudent.models.scripted import ScriptedCall, ScriptedModel, ScriptedReply, call, reply, think
from prudent.tools.definition import Tool
from prudent.types import JSON, Usage

CITIES = ("Bern", "Oslo", "Lima", "Kyoto", "Quito", "Turin")
MISSING = ("Atlantis", "Avalon", "Utopia")
USAGE = Usage(input_tokens=1_500, output_tokens=30)


@tool(effect="read")
def get_weather(city: str, days: int = 1) -> str:
    """Get the current weather of a city.

    Args:
        city: Name of the city, such as Bern.
        days: How many days, 1 to 5.
    """
    if city in MISSING:
        raise ToolError(f"no station in {city}")
    return f"{days} day in {city}: 12 °C, rain"


@tool(effect="read")
def fetch_weather_data(location: str, units: str = "metric") -> str:
    """Fetch the current weather for a given city.

    Args:
        location: Name of the city.
        units: metric or imperial.
    """
    if location in MISSING:
        raise ToolError(f"unknown location {location}")
    return f"{location}: 12 degrees ({units}), rain"


@tool(effect="read")
def get_order(order_id: int) -> dict[str, JSON]:
    """Look an order up by its number.

    Args:
        order_id: The order's number.
    """
    return {"order": {"id": order_id, "customer_id": f"C-{order_id * 7}", "total": 129.5}}


@tool(effect="read")
def get_customer(customer_id: str) -> dict[str, JSON]:
    """Look a customer's name and address up.

    Args:
        customer_id: Such as C-77.
    """
    return {"name": f"Customer {customer_id}", "city": "Bern"}


@tool(effect="read")
def list_tickets(customer_id: str, limit: int = 10) -> list[JSON]:
    """List the open complaints of somebody.

    Args:
        customer_id: Such as C-77.
        limit: How many at most.
    """
    return [{"ticket": 1, "of": customer_id, "limit": limit}]


@tool(effect="read")
def search_handbook(query: str) -> str:
    """Search the handbook for rules on returns and warranties.

    Args:
        query: Words.
    """
    return f"returns.md: {query} within 30 days"


@tool(effect="read")
def convert_currency(amount: float, target: str) -> str:
    """Convert an amount of euros.

    Args:
        amount: Euros.
        target: Currency code such as CHF.
    """
    return f"{amount} EUR are 0 {target}"


@tool(effect="write", idempotent=True)
def export_report(year: int) -> str:
    """Export the yearly report as a spreadsheet file to the archive.

    Args:
        year: Such as 2031.
    """
    return f"report {year}"


TOOLS: tuple[Tool, ...] = (
    get_weather,
    fetch_weather_data,
    get_order,
    get_customer,
    list_tickets,
    search_handbook,
    convert_currency,
    export_report,
)

Script = list[ScriptedReply]


def _replies(*calls: ScriptedCall) -> Script:
    return [*(reply(made, usage=USAGE) for made in calls), reply("That is it.", usage=USAGE)]


def order(random: Random) -> Script:
    number = random.randrange(100, 999)
    customer = f"C-{number * 7}"
    script = _replies(
        call("get_order", order_id=number),
        call("get_customer", customer_id=customer),
        call("list_tickets", customer_id=customer),
    )
    return [reply(think("Who is it?", plan="1. order 2. customer 3. tickets"), usage=USAGE), *script]


def weather(random: Random) -> Script:
    return _replies(call("get_weather", city=random.choice(CITIES)))


def other_weather(random: Random) -> Script:
    return _replies(call("fetch_weather_data", location=random.choice(CITIES)))


def wrong_weather(random: Random) -> Script:
    city = random.choice(MISSING)
    return _replies(call("get_weather", city=city), call("fetch_weather_data", location=city))


def wrong_other_weather(random: Random) -> Script:
    city = random.choice(MISSING)
    return _replies(call("fetch_weather_data", location=city), call("get_weather", city=city))


def without_number(random: Random) -> Script:
    return _replies(call("get_order", number=random.randrange(99)), call("search_handbook", query="how to find an order"))


def misspelt(random: Random) -> Script:
    words = f"return {random.choice(CITIES)}"
    return _replies(call("serch_handbook", query=words), call("search_handbook", query=words))


def money(random: Random) -> Script:
    return _replies(call("convert_currency", amount=random.randrange(9), target="CHF"))


KINDS: dict[Callable[[Random], Script], int] = {
    order: 24,
    weather: 10,
    other_weather: 6,
    wrong_weather: 5,
    wrong_other_weather: 3,
    without_number: 3,
    misspelt: 6,
}
"""How often each comes among 58 runs; one more run converts money."""


def scripts(seed: int) -> list[Script]:
    """Draw a shuffled set of runs."""
    random = Random(seed)
    drawn = [kind(random) for kind, count in KINDS.items() for _ in range(count)] + [money(random)]
    random.shuffle(drawn)
    return drawn


def play(path: Path, drawn: Sequence[Script], *, name: str = "helpdesk", tools: Sequence[Tool] = TOOLS) -> None:
    """Run them all, one after the other, into one journal."""
    for script in drawn:
        agent = Agent(ScriptedModel(script), name=name, tools=tools, budget=Budget(model_calls=12), record_raw=False)
        agent.run_sync("Help.", db=path)
