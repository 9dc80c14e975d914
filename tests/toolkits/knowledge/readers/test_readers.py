from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prudent.toolkits.knowledge.documents import Unreadable, passages
from prudent.toolkits.knowledge.readers import READERS, is_readable, read_document


@pytest.mark.parametrize("name", ["a.md", "A.MD", "b.markdown", "c.txt", "d.html", "e.htm", "f.pdf", "g.docx", "目录/说明.md"])
def test_known_kinds(name: str) -> None:
    assert is_readable(name)


@pytest.mark.parametrize("name", ["a.py", "md", ".md", "~$g.docx", "a.doc", "a.md.bak", ""])
def test_other_kinds(name: str) -> None:
    assert not is_readable(name)


@given(st.binary(max_size=300), st.sampled_from(sorted(READERS)))
@settings(max_examples=150, deadline=None)
def test_any_bytes_give_a_document_or_a_reason(data: bytes, ending: str) -> None:
    try:
        found = passages(read_document(f"a{ending}", data))
    except Unreadable as error:
        found = [str(error)]
    assert all(found)
