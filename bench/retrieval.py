"""How much of what is relevant `search_knowledge` finds, and how long it takes: `python bench/retrieval.py FOLDER`.

FOLDER holds collections, each a folder with corpus.jsonl ({_id, title, text}), queries.jsonl ({_id, text}) and qrels.tsv
(query-id, corpus-id, score), such as cmrc2018_dev_zh and cranfield_en. The documents are written as text files and indexed
the way a user's are.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path

from prudent.toolkits.knowledge.database import open_store
from prudent.toolkits.knowledge.ranking import rank
from prudent.toolkits.knowledge.store import Store
from prudent.toolkits.knowledge.update import follow
from prudent.toolkits.knowledge.words import query_words

# In cranfield_en, -1 behaves like the label of a source document, and 4 means of no interest.
RELEVANT = {"cranfield_en": {"1", "2", "3", "-1"}}


def lines(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def relevant(collection: Path) -> dict[str, set[str]]:
    labels = RELEVANT.get(collection.name)
    found: dict[str, set[str]] = {}
    for line in (collection / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, label = line.split("\t")
        if label in labels if labels else int(label) > 0:
            found.setdefault(query, set()).add(document)
    return found


def ranked(store: Store, query: str) -> list[str]:
    passages = store.passages([found.passage_id for found in rank(store, query_words(query), query).found])
    return list(dict.fromkeys(Path(passage.path).stem for passage in passages))


def measure(collection: Path, scratch: Path) -> None:
    folder = scratch / collection.name
    folder.mkdir()
    documents = lines(collection / "corpus.jsonl")
    for document in documents:
        text = f"{' '.join(document['title'].split())}\n\n{document['text']}"
        (folder / f"{document['_id']}.txt").write_text(text, encoding="utf-8")
    with open_store(scratch / f"{collection.name}.db") as store:
        started = time.perf_counter()
        follow(store, folder, seconds=600)
        indexing = time.perf_counter() - started
        due = relevant(collection)
        queries = [query for query in lines(collection / "queries.jsonl") if query["_id"] in due]
        started = time.perf_counter()
        results = [(due[query["_id"]], ranked(store, query["text"])) for query in queries]
        searching = (time.perf_counter() - started) / len(queries)
    recalls = {
        depth: sum(len(wanted & set(found[:depth])) / len(wanted) for wanted, found in results) / len(results)
        for depth in (1, 5, 10)
    }
    shown = ", ".join(f"recall@{depth} {recall:.3f}" for depth, recall in recalls.items())
    print(
        f"{collection.name}: {shown} ({len(queries)} queries, {len(documents)} documents; "
        f"indexed in {indexing:.1f} s, {searching * 1000:.1f} ms a search)"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    with tempfile.TemporaryDirectory() as scratch:
        for collection in sorted(parser.parse_args().folder.iterdir()):
            measure(collection, Path(scratch))
