"""How much of what is relevant is found, on two public collections that lie beside the repository."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prudent.toolkits.knowledge.database import open_store
from prudent.toolkits.knowledge.documents import Block
from prudent.toolkits.knowledge.ranking import rank
from prudent.toolkits.knowledge.store import FileState
from prudent.toolkits.knowledge.words import query_words

COLLECTIONS = Path(__file__).parents[3].parent / "shared" / "retrieval"

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not COLLECTIONS.is_dir(), reason="the collections are not there"),
]


def _lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _relevant(path: Path, labels: set[str]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        query, document, label = line.split("\t")
        if label in labels:
            found.setdefault(query, set()).add(document)
    return found


@pytest.mark.parametrize(
    ("name", "labels", "depth", "every", "least"),
    [
        ("cmrc2018_dev_zh", {"1"}, 5, 8, 0.99),
        # The label -1 behaves like that of a source document; 4 means of no interest.
        ("cranfield_en", {"1", "2", "3", "-1"}, 10, 1, 0.46),
    ],
)
def test_recall(tmp_path: Path, name: str, labels: set[str], depth: int, every: int, least: float) -> None:
    folder = COLLECTIONS / name
    relevant = _relevant(folder / "qrels.tsv", labels)
    recalls: list[float] = []
    with open_store(tmp_path / "index.db") as store:
        for document in _lines(folder / "corpus.jsonl"):
            title = " ".join(document["title"].split())
            store.put(FileState(document["_id"], 1, 1, document["_id"], title), [Block(document["text"])])
        for query in _lines(folder / "queries.jsonl")[::every]:
            if query["_id"] in relevant:
                ranking = rank(store, query_words(query["text"]), query["text"])
                passages = store.passages([found.passage_id for found in ranking.found[:depth]])
                due = relevant[query["_id"]]
                recalls.append(len(due & {passage.path for passage in passages}) / len(due))
    assert sum(recalls) / len(recalls) >= least
