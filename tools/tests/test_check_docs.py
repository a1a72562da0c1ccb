"""Blocks are found, run in order, and fail when they should."""

from textwrap import dedent

import pytest

import check_docs
from check_docs import Block, blocks_of, check_page, console_steps, output_matches, page_complaints


def python(text: str, line: int = 1) -> Block:
    return Block("page.md", line, "python", None, dedent(text))


def test_blocks_are_found_with_language_title_and_line() -> None:
    page = '# Title\n\n```toml title="scene.toml"\na = 1\n```\n\ntext\n\n```\nplain\n```\n'
    assert blocks_of("page.md", page) == [
        Block("page.md", 3, "toml", "scene.toml", "a = 1\n"),
        Block("page.md", 9, "", None, "plain\n"),
    ]


def test_indented_blocks_lose_their_indentation() -> None:
    page = '=== "Python"\n\n    ```python\n    if True:\n        x = 1\n    ```\n'
    (block,) = blocks_of("page.md", page)
    assert block.text == "if True:\n    x = 1\n"


def test_a_fence_inside_a_longer_fence_is_text() -> None:
    page = "````text\n```python\nraise SystemExit\n```\n````\n"
    (block,) = blocks_of("page.md", page)
    assert block.language == "text"


def test_a_block_without_a_language_is_a_complaint() -> None:
    (complaint,) = page_complaints("page.md", [Block("page.md", 7, "", None, "")], "")
    assert complaint.startswith("page.md:7: language ''")


def test_rust_blocks_need_their_page_in_the_doc_tests() -> None:
    blocks = [Block("docs-site/a.md", 1, "rust", None, "")]
    assert page_complaints("docs-site/a.md", blocks, 'include_str!("../../../docs-site/a.md")') == []
    (complaint,) = page_complaints("docs-site/a.md", blocks, 'include_str!("../../../docs-site/b.md")')
    assert "does not include it" in complaint


def test_python_blocks_of_a_page_share_their_names() -> None:
    assert check_page("page.md", [python("x = 20"), python("assert x + 1 == 21")]) == []


def test_a_failing_python_block_is_reported_with_page_and_line() -> None:
    (complaint,) = check_page("page.md", [python("x = 1\n"), python("\nassert x == 2\n", line=40)])
    assert 'File "page.md", line 42' in complaint
    assert "AssertionError" in complaint


def test_data_with_a_title_is_there_for_the_programs_of_the_page() -> None:
    data = Block("page.md", 9, "json", "data.json", '{"a": [1, 2]}')
    assert (
        check_page("page.md", [python('import json; assert json.load(open("data.json"))["a"] == [1, 2]'), data]) == []
    )


@pytest.mark.parametrize(("language", "text"), [("toml", "a = = 1"), ("json", "{'a': 1}")])
def test_malformed_data_is_reported_with_its_line(language: str, text: str) -> None:
    (complaint,) = check_page("page.md", [Block("page.md", 5, language, None, text)])
    assert complaint.startswith("page.md:5: ")


def test_console_blocks_are_commands_with_their_output() -> None:
    assert console_steps("$ kinetic robots\na\nb\n$ kinetic demo\n") == [
        ("kinetic robots", "a\nb\n"),
        ("kinetic demo", ""),
    ]


@pytest.mark.parametrize(
    ("wanted", "printed", "verdict"),
    [
        ("", "anything\n", True),
        ("a\nb\n", "a\nb\n", True),
        ("a\nb\n", "a\nc\n", False),
        ("a\n…\nd\n", "a\nb\nc\nd\n", True),
        ("a\n…\n", "a\n", True),
        ("…\nd\n", "a\nb\n", False),
        ("a.c\n", "abc\n", False),
    ],
)
def test_shown_output_must_be_printed(wanted: str, printed: str, verdict: bool) -> None:
    assert output_matches(wanted, printed) is verdict


def test_a_failing_command_is_reported(monkeypatch) -> None:
    monkeypatch.setattr(check_docs, "run", lambda command, folder, label: (f"{label}: exit code 2\n", ""))
    block = Block("page.md", 3, "console", None, "$ kinetic nothing\n$ ls\n")
    assert check_page("page.md", [block]) == ["page.md:3: kinetic nothing: exit code 2\n"]


def test_a_hanging_example_ends(monkeypatch) -> None:
    monkeypatch.setattr(check_docs, "TIME_LIMIT", 0.2)
    (complaint,) = check_page("page.md", [python("while True: pass")])
    assert "not done after" in complaint
