from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prudent.journal.redact import HIDDEN, Redactor, hide_parameters, secret_values
from prudent.types import JSONObject

# Put together from pieces, so that no scanner takes this file for a leak.
DIGITS = "A1b2C3d4E5f6G7h8I9j0"
SECRETS = {
    "sk-" + DIGITS * 2: "openai key",
    "sk-proj-" + DIGITS + "_" + DIGITS: "openai key",
    "sk-" + "0123456789abcdef" * 2: "openai key",
    "sk-live-" + DIGITS: "openai key",
    "sk-ant-api03-" + DIGITS * 3: "anthropic key",
    "ghp_" + DIGITS * 2: "github token",
    "gho_" + DIGITS * 2: "github token",
    "github_pat_" + DIGITS + "_" + DIGITS * 2: "github token",
    "glpat-" + DIGITS: "gitlab token",
    "AKIA" + "IOSFODNN7EXAMPL2": "aws key",
    "AIza" + "SyA" + DIGITS + "abcdefghij-_": "google key",
    "xoxb-" + "123456789012-1234567890123-" + DIGITS: "slack token",
    "hf_" + DIGITS * 2: "hugging face token",
    "npm_" + DIGITS * 2: "package index token",
    "sk_live_" + DIGITS: "payment key",
    "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0." + "dozjgNryP4J3jVmNHl0w5N": "web token",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow" + DIGITS * 3 + "\n" + DIGITS + "=\n-----END RSA PRIVATE KEY-----": "private key",
}

ASSIGNMENTS = {
    "password=hunter22": "hunter22",
    "password=correcthorse": "correcthorse",
    "Password: s3cr3t-Pa55": "s3cr3t-Pa55",
    'passwd = "lettersonly"': "lettersonly",
    '{"password": "lettersonly"}': "lettersonly",
    '{\\"password\\": \\"lettersonly\\"}': "lettersonly",
    "line\\npassword=hunter22": "hunter22",
    "DB_PASSWORD=pg!secret9": "pg!secret9",
    "pwd: abc123!": "abc123!",
    "api_key=abc123def456": "abc123def456",
    "apikey: 9f8e7d6c5b4a": "9f8e7d6c5b4a",
    "X-Api-Key: 9f8e7d6c5b4a": "9f8e7d6c5b4a",
    "export OPENAI_API_KEY=abc123def456": "abc123def456",
    'apiKey: "abc123def456"': "abc123def456",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "client_secret=Q~8abcDEF123": "Q~8abcDEF123",
    "token: abcdef1234567890": "abcdef1234567890",
    "GITHUB_TOKEN=0a1b2c3d4e5f": "0a1b2c3d4e5f",
    "https://example.com/cb?access_token=ya29abc123&state=1": "ya29abc123",
    "Authorization: Bearer abcdef.1234567890-xyz": "abcdef.1234567890-xyz",
    "authorization: Basic dXNlcjpwYXNzd29yZDE=": "dXNlcjpwYXNzd29yZDE=",
    "postgres://shop:tops3cret@db.example.com/shop": "tops3cret",
    "密码：hunter22": "hunter22",
    "我的密钥: 9f8e7d6c5b4a": "9f8e7d6c5b4a",
}

HARMLESS = [
    "",
    "The token count was 1234 and the maximum is max_tokens=4096.",
    '{"max_tokens": 4096, "input_tokens": 120, "prompt_tokens": 8}',
    '{"next_page_token": "CAUQAA8f9d1c", "page_token": "abc123def456"}',
    "confirm_token=a1b2c3d4e5f6",
    "Commit 8f14e45fceea167a5a36dedd4bea2543b2c1d9aa fixes it, see 8f14e45.",
    "550e8400-e29b-41d4-a716-446655440000",
    "20310504-101500-3f9a1c7b",
    "sha256:1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
    "order 12345678901234567890, card ending in 4242, phone +49 151 23456789",
    "The bearer of good news, a bearer of responsibilities and certificates.",
    "sk-learn, sk-container-id-1, sk-toggleable__content and sk-estimator-doc-link are class names",
    "My password is required. Password: must be at least 8 characters long.",
    '{"password": {"type": "string", "description": "The password."}}',
    '{"password": "string", "token": "string", "api_key": "required"}',
    "connect(user=user, password=password, api_key=api_key, token=token)",
    "connect(password=get_password(user), secret=os.environ['SECRET'])",
    "password=self.password, password = db_password",
    "password=$DB_PASSWORD api_key=${API_KEY} token=<your token> password=********",
    "api_key: str | None = None; secret: bool = False; token: Token",
    "Keyboard: mechanical; key: value; keys: one, two; primary_key=customer_id42x",
    "Die Passwörter stehen nicht hier. Schlüssel: A, B, C.",
    "密码必须至少八个字符。口令：必填",
    "See https://example.com/path/with-a-very-long-name-2031/and?page=2#part and user@example.com",
    "ssh git@github.com:owner/repository.git, http://localhost:8080/x@y",
    "-----BEGIN CERTIFICATE-----\nMIIC\n-----END CERTIFICATE-----",
    "eyJ is how base64 of an object begins; AKIA, AIza, ghp_ and xoxb- are prefixes",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    "tokenizer: {'eos_token': 'abc123xyz9', 'pad_token_id': 50256}",
]


@pytest.mark.parametrize(("secret", "kind"), SECRETS.items())
@pytest.mark.parametrize("around", ["{}", "key is {}.", "[{}]", "a\n{}\nb", "x={}", "“{}”", "这是{}。"])
def test_keys_are_known_by_their_form(secret: str, kind: str, around: str) -> None:
    text = Redactor().text(around.format(secret))
    assert text == around.format(f"[redacted: {kind}]")


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("depth", [1, 2])
def test_keys_are_found_inside_escaped_json_which_stays_json(secret: str, depth: int) -> None:
    text = f"first\n{secret}\nlast"
    for _ in range(depth):
        text = json.dumps({"text": text})
    redacted = Redactor().text(text)
    assert secret.strip("-").split("\n")[-1] not in redacted
    for _ in range(depth):
        redacted = json.loads(redacted)["text"]
    assert redacted.startswith("first\n[redacted: ")
    assert redacted.endswith("]\nlast")


@pytest.mark.parametrize(("text", "secret"), ASSIGNMENTS.items())
def test_assigned_values_are_hidden_and_nothing_else(text: str, secret: str) -> None:
    redacted = Redactor().text(text)
    before, after = text.split(secret)
    assert redacted.startswith(before + "[redacted: ")
    assert redacted.endswith("]" + after)


@pytest.mark.parametrize("text", HARMLESS)
def test_what_is_no_secret_stays(text: str) -> None:
    redactor = Redactor()
    assert redactor.text(text) is text
    assert redactor.data(text.encode()) == text.encode()
    assert redactor.text(json.dumps({"a": [text]}, ensure_ascii=False)) == json.dumps({"a": [text]}, ensure_ascii=False)


def test_known_values_are_hidden_however_they_are_written() -> None:
    value = 'pa"ss\\wörd'
    redactor = Redactor([value])
    for written in (value, json.dumps(value), json.dumps(value, ensure_ascii=False), json.dumps(json.dumps(value))):
        redacted = redactor.text(f"it is {written}!")
        assert "[redacted: known secret]" in redacted
        assert "ss" not in redacted


def test_short_known_values_would_hide_too_much() -> None:
    assert Redactor(["abc", ""]).text("abc alphabet") == "abc alphabet"


def test_values_learned_later_are_hidden_in_what_was_derived_before() -> None:
    redactor = Redactor()
    derived = redactor.with_values(["4711"])
    redactor.learn(["plain-words-only"])
    assert derived.text("4711: plain-words-only") == "[redacted: secret parameter]: [redacted: known secret]"
    assert redactor.text("4711") == "4711"


def test_a_short_value_of_a_call_is_hidden_only_where_it_stands_alone() -> None:
    assert Redactor().with_values(["123"]).text("123, 41234, x123, (123)") == f"{HIDDEN}, 41234, x123, ({HIDDEN})"


def test_values_are_redacted_at_every_depth_and_by_their_key() -> None:
    key = next(iter(SECRETS))
    value: JSONObject = {"a": [1, {"password": "lettersonly", "note": f"see {key}"}], "token": "abc123def456", "n": None}
    assert Redactor().mapping(value) == {
        "a": [1, {"password": "[redacted: password]", "note": "see [redacted: openai key]"}],
        "token": "[redacted: key]",
        "n": None,
    }


def test_json_stays_json_when_a_number_is_hidden() -> None:
    redactor = Redactor().with_values(["47114711"])
    assert redactor.json('{"pin": 47114711, "n": [1, 2.5, true, null]}') == (
        '{"pin":"[redacted: secret parameter]","n":[1,2.5,true,null]}'
    )
    assert redactor.json('{"pin": 4711}') == '{"pin": 4711}'
    assert redactor.json("no json 47114711") == "no json [redacted: secret parameter]"


def test_declared_fields_are_hidden_wherever_they_stand_as_keys() -> None:
    redactor = Redactor(fields=["SSN", "date of birth"]).with_values(["4711"])
    hidden = "[redacted: declared field]"
    value: JSONObject = {"a": [{"ssn": 123456789, "date of birth": {"year": 1999}, "ssn2": "x"}]}
    assert redactor.value(value) == {"a": [{"ssn": hidden, "date of birth": hidden, "ssn2": "x"}]}
    for written in ('{"ssn": "123-45", "x": 1}', '{"ssn": 12345, "x": 1}', "{'ssn': null, 'x': 1}", '{"SSN":"1\\"2","x": 1}'):
        redacted = redactor.text(written)
        assert hidden in redacted
        assert not any(digits in redacted for digits in ("23", "null", "2,", '2"'))
        json.loads(redacted.replace("'", '"'))
    once = json.dumps({"text": json.dumps({"ssn": "123-45"})})
    assert json.loads(json.loads(redactor.text(once))["text"]) == {"ssn": hidden}
    assert redactor.text("The ssn is asked for; ssn: later") == "The ssn is asked for; ssn: later"


def test_a_clean_value_comes_back_as_it_is() -> None:
    value: JSONObject = {"a": [1, {"b": "text", "password_hint": "none"}], "c": None}
    assert Redactor().mapping(value) is value


def test_bytes_that_are_no_text_survive() -> None:
    key = next(iter(SECRETS))
    assert Redactor().data(b"\xff\x00" + key.encode() + b"\xfe") == b"\xff\x00[redacted: openai key]\xfe"


@given(st.text())
def test_redacting_twice_is_redacting_once(text: str) -> None:
    redactor = Redactor(["known-secret-value"])
    for sample in (text, f"password={text}", f'{{"api_key": {json.dumps(text)}}}', f"known-secret-value{text}"):
        once = redactor.text(sample)
        assert redactor.text(once) == once


@given(
    st.recursive(st.text(alphabet='pasword="\\:{}[], key1'), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))
)
def test_redacted_json_is_json(value: object) -> None:
    json.loads(Redactor().text(json.dumps(value)))


@pytest.mark.parametrize(
    "text",
    ["a-" * 50_000, "password=" * 10_000, "token_" * 20_000 + "=", "sk-" * 30_000, "-----BEGIN PRIVATE KEY-----" * 3_000,
     "://" * 30_000 + "@", "eyJaaaaaaaaa." * 8_000, "\\" * 100_000 + "password=", "bearer " * 15_000 + "aaaaaaaaaaaaaaaaaaaa"],
)  # fmt: skip
def test_no_text_takes_long(text: str) -> None:
    begun = time.process_time()
    Redactor().text(text)
    assert time.process_time() - begun < 2.0


def test_secret_parameters_are_hidden_and_their_values_listed() -> None:
    arguments: JSONObject = {"user": "ann", "password": "hunter2", "more": {"pin": 4711, "ok": True, "x": ["ab", "abc", None]}}
    assert hide_parameters(arguments, ["password", "more", "absent"]) == {"user": "ann", "password": HIDDEN, "more": HIDDEN}
    assert sorted(secret_values(arguments, ["password", "more", "absent"])) == ["4711", "abc", "hunter2"]
