"""What a small model is told, in the language of the question: a small model answers in the language it is asked in."""

from __future__ import annotations

import re
from dataclasses import dataclass

_CJK = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")


@dataclass(frozen=True, slots=True)
class Words:
    """All texts of one language."""

    choose: str
    """Tells how to choose the next step; `tools` is filled in."""

    answer_directly: str
    found: str
    """Heads the results when there are some and a step is chosen."""

    from_facts: str
    """Tells how to answer from facts."""

    calculate: str
    facts: str
    question: str
    unknown: str
    """The answer when the facts do not hold one; `looked` is filled in."""

    nothing: str
    """The thought when a step brought no fact."""

    source: str
    reply_directly: str
    earlier: str
    use: str
    """A step of a plan that uses a tool."""

    answer: str
    """The last step of a plan."""

    joined_by: str


ENGLISH = Words(
    choose=(
        "You help a user with tools. Reply with one JSON object: the next step.\nTools:\n"
        "- final_answer(): answer the user directly. {direct}\n{tools}"
    ),
    answer_directly="For small talk, greetings, thanks, general knowledge, and to rephrase or translate a given text.",
    found="Found so far:",
    from_facts=(
        "Answer every part of the question, in one or two whole sentences, from the facts only. "
        "If the facts do not say it, say so."
    ),
    calculate="Write the calculation that gives what the question asks for.",
    facts="Facts:",
    question="Question:",
    unknown="I found nothing that answers this ({looked}), so I do not know.",
    nothing="The last step brought nothing.",
    source="Source",
    reply_directly="You are a helpful assistant. Answer in one or two sentences.",
    earlier="Earlier in this conversation:",
    use="use {tool}",
    answer="answer from what was found",
    joined_by="; ",
)

CHINESE = Words(
    choose=("你借助工具帮助用户。只回复一个JSON对象：下一步。\n工具：\n- final_answer()：直接回答用户。{direct}\n{tools}"),
    answer_directly="用于闲聊、问候、感谢、常识，以及改写或翻译给出的文字。",
    found="目前已查到：",
    from_facts="只根据事实用中文回答问题。如果事实中没有提到，就说明没有提到。",
    calculate="写出得到问题所问数值的算式。",
    facts="事实：",
    question="问题：",
    unknown="没有查到能回答这个问题的内容（{looked}），所以无法回答。",
    nothing="上一步没有得到结果。",
    source="来源",
    reply_directly="你是一个乐于助人的助手。用中文以一两句话回答。",
    earlier="此前的对话：",
    use="使用 {tool}",
    answer="根据结果作答",
    joined_by="；",
)


def is_chinese(text: str) -> bool:
    """Whether a text is written in Chinese characters, if only in part."""
    return bool(_CJK.search(text))


def words_for(text: str) -> Words:
    """Choose the language of a question."""
    return CHINESE if is_chinese(text) else ENGLISH
