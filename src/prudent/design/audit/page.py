"""An audit as one page of HTML that needs nothing else: no script, no other file, nothing from the network."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime

from prudent.design.audit.charts import MOST_BARS, bar_chart, escape, twin_map
from prudent.design.audit.flow import Origin
from prudent.design.audit.proposals import Proposal
from prudent.design.audit.report import Audit

MOST_CORRECTIONS = 100
"""So many kinds of corrections stand in the table; `prudent audit --json` has all."""

_STYLE = """
:root { color-scheme: light dark; --ink: #1c2330; --soft: #5d6778; --line: #dde2ea; --ground: #f6f7f9; --card: #fff;
  --used: #3d6fb4; --rare: #c98a1b; --unused: #9aa3b2; --failed: #c2463d; --good: #2f7d54; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ef; --soft: #9aa5b8; --line: #323a48; --ground: #14181f;
  --card: #1c222c; --used: #6d9ee0; --rare: #dba544; --unused: #6c7687; --failed: #e0736a; --good: #63b98b; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", "Noto Sans CJK SC", sans-serif; }
main { max-width: 1020px; margin: 0 auto; padding: 32px 20px 80px; }
h1 { font-size: 26px; margin: 0 0 4px; } h2 { font-size: 19px; margin: 44px 0 12px; } h3 { font-size: 16px; margin: 0 0 8px; }
p { margin: 0 0 10px; } .soft { color: var(--soft); } .small { font-size: 13px; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(165px, 1fr)); gap: 12px; margin: 22px 0; }
.tile, .card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 14px 16px; }
.tile b { display: block; font-size: 23px; font-variant-numeric: tabular-nums; }
.card { margin: 0 0 14px; overflow-x: auto; }
.note { border-left: 4px solid var(--rare); padding: 8px 14px; background: var(--card); margin: 8px 0; }
.tag { display: inline-block; border-radius: 99px; padding: 0 9px; font-size: 12.5px; border: 1px solid currentColor;
  margin-right: 8px; vertical-align: 1px; }
.tag.remove { color: var(--failed); } .tag.merge { color: var(--used); } .tag.macro { color: var(--good); }
.tag.unsure { color: var(--rare); }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: 14px; }
th, td { text-align: left; padding: 6px 10px; border-bottom: 1px solid var(--line); vertical-align: top; }
th { color: var(--soft); font-weight: 600; } td.n, th.n { text-align: right; white-space: nowrap; }
td.name { font-family: ui-monospace, "Cascadia Mono", Menlo, monospace; font-size: 13px; overflow-wrap: anywhere;
  min-width: 190px; }
pre { background: var(--ground); border: 1px solid var(--line); border-radius: 8px; padding: 12px; overflow-x: auto;
  font: 13px/1.45 ui-monospace, "Cascadia Mono", Menlo, monospace; margin: 8px 0; }
summary { cursor: pointer; color: var(--soft); } ul { margin: 6px 0 8px; padding-left: 22px; }
svg { display: block; width: 100%; height: auto; margin: 0 auto; } svg text { fill: var(--ink); font-size: 13px; }
svg .small { fill: var(--soft); font-size: 12px; } svg text.unused { fill: var(--soft); }
.bar.used { fill: var(--used); } .bar.rare { fill: var(--rare); } .bar.unused { fill: var(--unused); }
.bar.failed { fill: var(--failed); } .limit { stroke: var(--soft); stroke-dasharray: 4 4; }
.alike { stroke: var(--used); opacity: .35; stroke-linecap: round; } .move { stroke: var(--failed); fill: none; }
.head, svg .moved { fill: var(--failed); } .node { fill: var(--used); stroke: var(--card); stroke-width: 2; }
.key i { display: inline-block; width: 12px; height: 12px; border-radius: 3px; margin: 0 5px 0 14px; vertical-align: -1px; }
"""


def audit_page(found: Audit) -> str:
    """Write the page."""
    body = "".join([*_head(found), *_proposals(found), *_calls(found), *_twins(found), *_sequences(found), *_foot()])
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>Tools audit</title><style>{_STYLE}</style></head><body><main>{body}</main></body></html>\n"
    )


def _head(found: Audit) -> Iterator[str]:
    totals = found.totals
    agents = ", ".join(totals.agents[:6]) + (" and others" if len(totals.agents) > 6 else "")
    yield f'<h1>Tools audit</h1><p class="soft">{escape(agents)} · {_day(totals.first_at)} to {_day(totals.last_at)}</p>'
    unused = totals.unused_tokens / totals.definition_tokens if totals.definition_tokens else 0.0
    tiles = [
        (f"{totals.runs:,}", "runs"),
        (f"{totals.task_calls:,}", "task calls"),
        (f"{sum(use.calls > 0 for use in found.uses):,} of {len(found.uses):,}", "tools called"),
        (f"{unused:.0%}", "of the definitions’ tokens for tools that were never called (estimated)"),
        (f"{found.tokens_saved_a_call:,.0f}", "tokens less in each model call by what is proposed (estimated)"),
    ]
    yield '<div class="tiles">'
    yield from (f'<div class="tile"><b>{figure}</b><span class="soft small">{told}</span></div>' for figure, told in tiles)
    yield "</div>"
    yield from (f'<p class="note">{escape(note)}</p>' for note in found.notes)


def _proposals(found: Audit) -> Iterator[str]:
    yield "<h2>Proposals</h2>"
    if not found.proposals:
        yield '<p class="soft">Nothing to propose.</p>'
    yield from map(_proposal, found.proposals)


def _proposal(proposal: Proposal) -> str:
    unsure = "" if proposal.is_firm else '<span class="tag unsure">to look at</span>'
    lines = "".join(f"<li>{escape(line)}</li>" for line in (*proposal.evidence, proposal.saving))
    runs = f'<p class="soft small">Runs: {escape(", ".join(proposal.run_ids))}</p>' if proposal.run_ids else ""
    written = ""
    if proposal.steps:
        written += f"<pre>{escape(chr(10).join(f'{at}. {step}' for at, step in enumerate(proposal.steps, 1)))}</pre>"
    if proposal.code:
        written += f"<details><summary>As Python, ready to paste</summary><pre>{escape(proposal.code)}</pre></details>"
    if proposal.definition:
        text = json.dumps(proposal.definition.as_json(), ensure_ascii=False, indent=2)
        written += f"<details><summary>As JSON</summary><pre>{escape(text)}</pre></details>"
    return (
        f'<div class="card"><h3><span class="tag {proposal.kind}">{proposal.kind}</span>{unsure}{escape(proposal.title)}</h3>'
        f"<ul>{lines}</ul>{runs}{written}</div>"
    )


def _calls(found: Audit) -> Iterator[str]:
    yield (
        '<h2>Calls per tool</h2><p class="key small soft"><i style="background:var(--used)"></i>called'
        '<i style="background:var(--failed)"></i>failed<i style="background:var(--rare)"></i>long tail, below 1 % where it was'
        ' mounted<i style="background:var(--unused)"></i>never called</p>'
    )
    yield f'<div class="card">{bar_chart(found.uses)}</div>'
    if len(found.uses) > MOST_BARS:
        yield f'<p class="soft small">The chart has the first {MOST_BARS} of {len(found.uses):,} tools.</p>'
    rows = [
        [
            use.name,
            f"{use.calls:,}",
            f"{use.share:.2%}",
            f"{use.share_of_chances:.2%} (≤ {use.highest_share:.1%})",
            f"{use.failure_rate:.0%}" if use.failed else "",
            _counted(use.failures),
            f"{use.held_back:,}" if use.held_back else "",
            f"{use.tokens:,}",
            f"{use.paid:,}",
        ]
        for use in found.uses
    ]
    head = ["tool", "calls", "share", "where mounted (95 %)", "failed", "why", "held back", "tokens*", "in all*"]
    yield _table(head, rows, right={1, 2, 3, 4, 6, 7, 8})
    yield (
        '<p class="soft small">* of the definition, in each model call and in the whole period; estimated. In brackets the '
        "highest share that the figures leave possible, with 95 % confidence. Held back: by a brake or a person.</p>"
    )
    if found.unknown:
        yield "<h2>Names that no tool has</h2>"
        named = [[row.name, f"{row.calls:,}", _counted(row.instead)] for row in found.unknown]
        yield _table(["name", "calls", "called then"], named, right={1})


def _twins(found: Audit) -> Iterator[str]:
    yield "<h2>Twins and corrections</h2>"
    drawn = twin_map(found.uses, found.twins, found.corrections)
    if not drawn:
        yield '<p class="soft">No two tools read alike, and none was taken for another.</p>'
        return
    yield (
        '<p class="key small soft"><i style="background:var(--used);opacity:.35"></i>definitions read alike'
        '<i style="background:var(--failed)"></i>models went from one to the other at once (how often)</p>'
    )
    yield f'<div class="card">{drawn}</div>'
    if found.twins:
        pairs = [
            [
                f"{pair.one} · {pair.other}",
                f"{pair.likeness.score:.2f}",
                pair.likeness.compared,
                *_moves(pair.there, pair.back, pair.at_once),
            ]
            for pair in found.twins
        ]
        yield _table(["twins", "likeness", "compared", "there", "back", "at once"], pairs, right={1, 3, 4, 5})
    if found.corrections:
        rows = [
            [
                f"{row.first} → {row.then}",
                f"{row.count:,}",
                _counted(row.causes),
                f"{row.same_question:,}",
                ", ".join(row.run_ids[:2]),
            ]
            for row in found.corrections[:MOST_CORRECTIONS]
        ]
        yield _table(["correction", "times", "why it counts", "same question", "runs"], rows, right={1, 3})
        if len(found.corrections) > MOST_CORRECTIONS:
            yield f'<p class="soft small">These are the {MOST_CORRECTIONS} most frequent of {len(found.corrections):,}.</p>'


def _moves(*counts: int) -> list[str]:
    return [f"{number:,}" if number else "" for number in counts]


def _sequences(found: Audit) -> Iterator[str]:
    if not found.sequences:
        return
    yield "<h2>Sequences that come again and again</h2>"
    rows = [
        [
            " → ".join(row.tools),
            f"{row.count:,}",
            f"{row.runs:,}",
            f"{row.followed:.0%}",
            f"{row.turns_saved:,}",
            "; ".join(
                f"step {at}: {name} {_flow(origin)}"
                for at, step in enumerate(row.steps[1:], 2)
                for name, origin in step.arguments
                if origin.kind in ("argument", "result")
            ),
        ]
        for row in found.sequences
    ]
    yield _table(["sequence", "times", "runs", "of its beginnings", "model calls more", "what flows"], rows, right={1, 2, 3, 4})


def _flow(origin: Origin) -> str:
    if origin.kind == "argument":
        return f"is {origin.name} of step {origin.step + 1}"
    return f"from {origin.name or 'the text'} of step {origin.step + 1}’s result"


def _foot() -> Iterator[str]:
    now = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    yield f'<p class="soft small" style="margin-top:40px">Written by <code>prudent audit</code> on {now}.</p>'


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], *, right: set[int]) -> str:
    heads = "".join(f'<th class="n">{text}</th>' if at in right else f"<th>{text}</th>" for at, text in enumerate(head))
    body = "".join(
        "<tr>" + "".join(f'<td class="{_kind(at, right)}">{escape(cell)}</td>' for at, cell in enumerate(row)) + "</tr>"
        for row in rows
    )
    return f'<div class="card"><table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>'


def _kind(column: int, right: set[int]) -> str:
    return "n" if column in right else "name" if column == 0 else "t"


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {name}" for name, number in counts.items())


def _day(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d")
