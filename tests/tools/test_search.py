"""Finding the right tool among many."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prudent.tools.definition import Tool
from prudent.tools.search import ToolIndex
from prudent.tools.search_words import name_words, query_words, stem, words

SHARED = Path(__file__).parents[2] / "../shared"
SCREENSHOTS = ("take_screenshot", "browser_take_screenshot", "puppeteer_screenshot")

QUESTIONS: dict[str, tuple[str, ...]] = {
    "Which files were changed in pull request 17?": ("get_pull_request_files",),
    "Unstage everything I added by mistake": ("git_reset",),
    "What time is it in Tokyo right now?": ("get_current_time",),
    "Convert 14:30 in Berlin to New York time": ("convert_time",),
    "Put a bar chart of the sales figures into the worksheet": ("create_chart",),
    "Merge cells A1 to C1 in the sheet": ("merge_cells",),
    "Find scientific papers about diffusion models": ("firecrawl_research_search_papers",),
    "Take a picture of the current page": SCREENSHOTS,
    "Create a new folder for the reports": ("create_directory",),
    "How large are the files in this folder?": ("list_directory_with_sizes", "get_file_info"),
    "Rename a file": ("move_file",),
    "Comment on an issue that it is fixed": ("add_issue_comment",),
    "Latest news about the elections": ("brave_news_search",),
    "A restaurant near the station": ("brave_local_search", "brave_place_search"),
    "Turn a PDF into Markdown": ("convert_to_markdown", "firecrawl_parse"),
    "Remember that Ana works at the bank": ("add_observations", "create_entities", "create_relations"),
    "Run a SQL query on the database": ("query",),
    "Record a video of what happens in the browser": ("screencast_start",),
    "Why is the page slow to load?": ("performance_start_trace", "performance_analyze_insight", "lighthouse_audit"),
    "Which environment variables are set?": ("get-env",),
    "Add two numbers": ("get-sum",),
    "Watch a website and tell me when it changes": ("firecrawl_monitor_create",),
    "Accept the confirmation popup": ("handle_dialog", "browser_handle_dialog"),
    "Go back to the page before": ("browser_navigate_back", "navigate_page"),
    "See the errors in the browser's console": ("list_console_messages", "get_console_message", "browser_console_messages"),
    "Copy a repository to my own account": ("fork_repository",),
    "List all URLs of a website": ("firecrawl_map",),
    "Insert three empty rows above row 5": ("insert_rows",),
    "Look up how a function of the React library is used": ("query-docs", "resolve-library-id"),
    "Who changed this? Show the history of commits": ("git_log", "list_commits"),
    "把两个单元格合并": ("merge_cells",),
    "在 GitHub 上新建一个问题": ("create_issue",),
    "列出目录里的文件": ("list_directory", "list_directory_with_sizes", "directory_tree"),
    "给当前页面截图": SCREENSHOTS,
    "东京现在几点": ("get_current_time",),
    "提交代码更改": ("git_commit",),
    "搜索关于天气的新闻": ("brave_news_search",),
    "删除第三行": ("delete_sheet_rows",),
    "上传文件到网页": ("upload_file", "browser_file_upload"),
    "创建数据透视表": ("create_pivot_table",),
}
"""Forty questions, written before the ranking was, each with the tools that are right."""

HELD_OUT: dict[str, tuple[str, ...]] = {
    "Switch to the branch release-2": ("git_checkout",),
    "Compress a file": ("gzip-file-as-resource",),
    "Open a pull request with my changes": ("create_pull_request",),
    "Press the Escape key": ("press_key", "browser_press_key"),
    "Is the formula right before I put it in?": ("validate_formula_syntax",),
    "Make the browser window smaller": ("resize_page", "browser_resize"),
    "Which sheets does the workbook have?": ("get_workbook_metadata",),
    "Forget what you know about Ana": ("delete_entities", "delete_observations"),
    "Get the text of a web page": ("fetch", "fetch_content", "web_fetch_exa", "firecrawl_scrape"),
    "What did I change since the last commit?": ("git_diff_unstaged", "git_diff", "git_status", "git_diff_staged"),
    "Find memory leaks of the page": ("take_heapsnapshot",),
    "Pick an entry from the dropdown": ("browser_select_option", "puppeteer_select", "fill"),
    "Stop watching the website": ("firecrawl_monitor_delete", "firecrawl_monitor_update"),
    "Replace a line in a text file": ("edit_file",),
    "Has the check of pull request 3 passed?": ("get_pull_request_status",),
    "读取文本文件": ("read_text_file", "read_file"),
    "切换到另一个分支": ("git_checkout",),
    "插入两列": ("insert_columns",),
    "查看浏览器控制台日志": ("list_console_messages", "get_console_message", "browser_console_messages"),
    "把文件移动到另一个文件夹": ("move_file",),
}
"""Twenty more, written after it: what the forty promise has to hold for them, too."""


def make(name: str, summary: str = "", **properties: str) -> Tool:
    parameters = {"type": "object", "properties": {key: {"description": text} for key, text in properties.items()}}
    return Tool(name=name, function=print, summary=summary, parameters=parameters)  # pyright: ignore[reportArgumentType] # JSON


def published() -> list[Tool]:
    if not SHARED.exists():
        pytest.skip("the folder ../shared is not here")
    return [
        Tool(name=found["name"], function=print, summary=found.get("description", ""), parameters=found["inputSchema"])
        for file in sorted((SHARED / "mcp_tools").glob("*.json"))
        for found in json.loads(file.read_text())["tools"]
    ]


def misses(questions: dict[str, tuple[str, ...]]) -> dict[str, list[str]]:
    index = ToolIndex(published())
    found = {question: [tool.name for tool in index.search(question, 5)] for question in questions}
    return {question: names for question, names in found.items() if not set(names) & set(questions[question])}


@pytest.mark.shared
def test_the_right_tool_is_among_the_first_five() -> None:
    assert len(QUESTIONS) == 40
    assert misses(QUESTIONS) == {}


@pytest.mark.shared
def test_so_it_is_for_questions_that_nobody_thought_of() -> None:
    assert len(misses(HELD_OUT)) <= 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("files", "file"),
        ("merging", "merge"),
        ("merged", "merges"),
        ("running", "run"),
        ("queries", "query"),
        ("boxes", "box"),
        ("branches", "branch"),
        ("status", "status"),
        ("created", "creating"),
    ],
)
def test_forms_of_a_word_are_one(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_names_are_taken_apart() -> None:
    assert name_words("getHTTPRequest2") == ["get", "http", "request2"]
    assert name_words("browser.take-screenshots_now") == ["browser", "tak", "screenshot", "now"]


def test_chinese_goes_by_pairs_and_by_what_it_means() -> None:
    assert words("合并单元格") == ["合并", "并单", "单元", "元格"]
    meant = {word for forms in query_words("合并单元格") for word in forms}
    assert {"merg", "cell"} <= meant


def test_the_name_says_more_than_the_rest() -> None:
    named = make("send_mail", "Deliver something to somebody.")
    told = make("post", "Deliver something. It can also send a mail, or a parcel, or what not.", note="send a mail")
    assert [tool.name for tool in ToolIndex([told, named]).search("send a mail")] == ["send_mail", "post"]


def test_other_words_and_other_languages_find_it() -> None:
    index = ToolIndex(
        [make("remove_folder", "Remove a folder."), make("look_around", "Look around."), make("天气", "查询城市的天气。")]
    )
    assert index.search("delete this directory")[0].name == "remove_folder"
    assert index.search("删除目录")[0].name == "remove_folder"
    assert index.search("上海的天气怎么样")[0].name == "天气"
    assert index.search("zzz") == []
    assert ToolIndex([]).search("anything") == []
    assert len(index.search("look remove 天气", 2)) == 2


def test_whatever_is_asked_takes_little_time_and_never_fails() -> None:
    index = ToolIndex([make(f"tool_{number}", "word " * 2000) for number in range(50)])
    assert len(index.search("word " * 100_000 + "合" * 100_000)) == 5
