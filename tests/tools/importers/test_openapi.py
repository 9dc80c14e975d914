"""Operations of an OpenAPI document as tools, called at a server of ours."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from prudent import Agent
from prudent.config import load_agent
from prudent.errors import ConfigurationError, MissingExtra, ToolError
from prudent.models.scripted import ScriptedModel, call
from prudent.tools.context import Context
from prudent.tools.definition import Tool
from prudent.tools.importers import openapi
from prudent.tools.validation import validate_object

pytestmark = pytest.mark.anyio

PETS = """\
openapi: 3.0.3
info: {title: Pets, version: "1"}
servers:
  - url: "https://{region}.example.com/v1/"
    variables: {region: {default: eu}}
paths:
  /pets:
    parameters:
      - {name: trace, in: header, schema: {type: string}}
    get:
      operationId: list pets
      summary: List pets.
      tags: [reading]
      parameters:
        - {name: limit, in: query, description: How many., schema: {type: integer, maximum: 100, default: 20}}
        - {name: tags, in: query, schema: {type: array, items: {type: string}}}
        - {name: sizes, in: query, explode: false, schema: {type: array, items: {type: integer}}}
        - {name: near, in: query, style: deepObject, schema: {type: object, properties: {x: {type: number}}}}
        - $ref: "#/components/parameters/Session"
        - {name: Authorization, in: header, schema: {type: string}}
      responses: {"200": {description: ok}}
    post:
      operationId: addPet
      requestBody:
        required: true
        description: The pet.
        content: {application/json: {schema: {$ref: "#/components/schemas/Pet"}}}
      responses: {"201": {description: ok}}
  /pets/{pet id}:
    put:
      operationId: setPet
      parameters: [{name: pet id, in: path, required: true, schema: {type: string}}]
      requestBody: {content: {application/x-www-form-urlencoded: {schema: {type: object, properties: {name: {type: string}}}}}}
      responses: {"200": {description: ok}}
    delete:
      operationId: removePet
      deprecated: true
      parameters: [{name: pet id, in: path, required: true, schema: {type: string}}]
      responses: {"204": {description: gone}}
    patch:
      operationId: uploadPicture
      requestBody: {content: {multipart/form-data: {schema: {type: object}}}}
      responses: {"200": {description: ok}}
components:
  parameters:
    Session: {name: session, in: cookie, schema: {type: string}}
  schemas:
    Pet:
      type: object
      required: [id, name]
      properties:
        id: {type: integer, readOnly: true}
        name: {type: string, example: Rex}
        age: {type: integer, nullable: true, minimum: 0, exclusiveMinimum: true}
        kids: {type: array, items: {$ref: "#/components/schemas/Pet"}}
"""


class Server:
    """Answers with what it got, or as it was told."""

    def __init__(self) -> None:
        self.got: list[dict[str, Any]] = []
        self.answer: tuple[int, str, bytes] | None = None
        server = self

        class Handler(BaseHTTPRequestHandler):
            def work(self) -> None:
                url = urlsplit(self.path)
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                got = {"method": self.command, "path": url.path, "query": parse_qsl(url.query), "body": body}
                server.got.append({**got, "headers": dict(self.headers)})
                status, kind, data = server.answer or (200, "application/json", json.dumps(got).encode())
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            do_GET = do_POST = do_PUT = do_DELETE = work  # noqa: N815  # the library calls them so

            def log_message(self, format: str, *args: Any) -> None:
                """Say nothing."""

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_port}/v1"
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "pets.yaml"
    path.write_text(PETS)
    return path


def tools(document: Path, server: Server, **options: Any) -> dict[str, Tool]:
    return {tool.name: tool for tool in openapi(document, base_url=server.url, **options)}


async def use(tool: Tool, **arguments: Any) -> Any:
    awaited: Any = tool.invoke(validate_object(tool, arguments).arguments, Context(timeout_seconds=10))
    return await awaited


def test_effects_follow_from_the_method(document: Path, server: Server) -> None:
    made = tools(document, server)
    assert {name: (tool.effect, tool.idempotent) for name, tool in made.items()} == {
        "list_pets": ("read", True),
        "addPet": ("write", False),
        "setPet": ("write", True),
        "removePet": ("destructive", True),
    }
    assert "Deprecated" in made["removePet"].describe([]).description


def test_parameters_and_bodies_become_one_schema(document: Path, server: Server) -> None:
    made = tools(document, server)
    listing: Any = made["list_pets"].parameters["properties"]
    assert list(listing) == ["trace", "limit", "tags", "sizes", "near", "session"]
    assert listing["limit"] == {"type": "integer", "description": "How many.", "maximum": 100, "default": 20}
    adding: Any = made["addPet"].parameters
    assert adding["required"] == ["body"]
    body = adding["properties"]["body"]
    assert body["required"] == ["name"]
    assert list(body["properties"]) == ["name", "age", "kids"], "what comes from the server is not asked for"
    assert body["properties"]["age"] == {"type": ["integer", "null"], "exclusiveMinimum": 0}
    assert body["properties"]["kids"]["items"] == {"$ref": "#/$defs/Pet"}
    assert "id" not in adding["$defs"]["Pet"]["properties"]


async def test_a_call_is_written_as_the_document_says(document: Path, server: Server) -> None:
    made = tools(document, server)
    got = await use(made["list_pets"], limit=5, tags=["a", "b&c"], sizes=[1, 2], near={"x": 1.5}, session="s 1", trace="t")
    assert got["path"] == "/v1/pets"
    assert got["query"] == [["limit", "5"], ["tags", "a"], ["tags", "b&c"], ["sizes", "1,2"], ["near[x]", "1.5"]]
    assert server.got[0]["headers"]["Cookie"] == "session=s%201"
    assert server.got[0]["headers"]["trace"] == "t"
    got = await use(made["addPet"], body={"name": "Rex", "age": None})
    assert (got["method"], json.loads(got["body"])) == ("POST", {"name": "Rex", "age": None})
    assert server.got[1]["headers"]["Content-Type"] == "application/json"
    got = await use(made["setPet"], **{"pet id": "a/../b", "body": {"name": "Max & Co"}})
    assert (got["path"], got["body"]) == ("/v1/pets/a%2F..%2Fb", "name=Max+%26+Co")


async def test_answers_become_results_and_errors(document: Path, server: Server) -> None:
    made = tools(document, server)["list_pets"]
    server.answer = (204, "text/plain", b"")
    assert await use(made) == "done (204 No Content)"
    server.answer = (200, "text/plain; charset=utf-8", "Grüße".encode())
    assert await use(made) == "Grüße"
    server.answer = (200, "image/png", b"\x89PNG")
    assert await use(made) == b"\x89PNG"
    server.answer = (200, "application/json", b"{broken")
    assert await use(made) == "{broken"
    server.answer = (422, "application/json", b'{"detail": "no such tag"}')
    with pytest.raises(ToolError, match=r'answered 422 .*: \{"detail": "no such tag"\}'):
        await use(made)
    server.answer = (302, "text/plain", b"")
    with pytest.raises(ToolError, match="answered 302"):
        await use(made)
    server.answer = (200, "text/plain", b"x" * (5 * 1024 * 1024))
    with pytest.raises(ToolError, match="longer than 4 MB"):
        await use(made)


async def test_no_value_leads_to_another_path(document: Path, server: Server) -> None:
    made = tools(document, server)["removePet"]
    for value in ("..", ".", ""):
        with pytest.raises(ToolError, match="a part of the address"):
            await use(made, **{"pet id": value})
    assert server.got == []


async def test_a_server_that_is_not_there_is_told(document: Path) -> None:
    (made,) = openapi(document, base_url="http://127.0.0.1:1", only=["list pets"])
    with pytest.raises(ToolError, match="could not be reached"):
        await use(made)


async def test_keys_come_from_the_environment(document: Path, server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    made = tools(document, server, headers_from={"Authorization": "PETS_AUTH"})["list_pets"]
    with pytest.raises(ToolError, match="has to set PETS_AUTH"):
        await use(made)
    monkeypatch.setenv("PETS_AUTH", "Bearer k")
    await use(made)
    assert server.got[0]["headers"]["Authorization"] == "Bearer k"


def test_what_writes_shows_what_it_would_send(document: Path) -> None:
    made = {tool.name: tool for tool in openapi(document)}
    preview: Any = made["addPet"].preview
    assert preview({"body": {"name": "Rex"}, "trace": "t"}) == 'POST https://eu.example.com/v1/pets\n{"name": "Rex"}'
    preview = made["removePet"].preview
    assert preview({"pet id": "7"}) == "DELETE https://eu.example.com/v1/pets/7"
    assert made["list_pets"].preview is None


def test_operations_can_be_chosen(document: Path) -> None:
    assert [tool.name for tool in openapi(document, tags=["reading"], prefix="pets_")] == ["pets_list_pets"]
    with pytest.raises(ConfigurationError, match="has no operations named nothing"):
        openapi(document, only=["nothing"])


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("a.json", "{", "is no valid JSON"),
        ("a.yaml", "a: [", "is no valid YAML"),
        ("a.yaml", "swagger: '2.0'", "is Swagger 2.0"),
        ("a.yaml", "openapi: 3.0.0\ninfo: {title: x}\npaths: {}", "is no OpenAPI 3 document: .*info.version"),
        ("a.yaml", "openapi: 3.1.0\ninfo: {title: x, version: '1'}\npaths: {}", "names no server"),
    ],
)
def test_what_is_no_document_is_said(tmp_path: Path, name: str, text: str, sentence: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(ConfigurationError, match=sentence):
        openapi(tmp_path / name)
    with pytest.raises(ConfigurationError, match="cannot be read"):
        openapi(tmp_path / "missing.yaml")


def test_without_the_extra_it_says_which(document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "openapi_pydantic", None)
    with pytest.raises(MissingExtra, match=r"prudent\[openapi\]"):
        openapi(document)


async def test_an_agent_file_mounts_it_and_the_agent_calls_it(document: Path, server: Server, tmp_path: Path) -> None:
    file = tmp_path / "agent.toml"
    file.write_text(
        f'planning = "off"\n[toolkits.openapi]\ndocument = "pets.yaml"\nbase_url = "{server.url}"\nonly = ["list pets"]\n'
    )
    loaded = load_agent(str(file))
    model = ScriptedModel([call("list_pets", limit=3), "None."])
    agent = Agent(model, tools=loaded.tools, planning="off")
    result = await agent.run("Which pets?", db=tmp_path / "agent.db")
    assert result.status == "completed"
    assert server.got[0]["query"] == [("limit", "3")]
