"""A tree as one self-contained page: no script, nothing fetched, everything escaped."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from leafward.cli.clean import one_line
from leafward.cli.outline import Outline

_STYLE = """
:root { color-scheme: light dark; --quiet: #5a6470; --line: #d0d7de; --accent: #1a6b3c; }
@media (prefers-color-scheme: dark) { :root { --quiet: #9aa5b1; --line: #3a424c;
  --accent: #6fcf97; } }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto;
  padding: 0 1rem; }
h1 { font-size: 1.4rem; margin-bottom: 0; }
ul { list-style: none; margin: 0; padding-left: 1rem; border-left: 1px solid var(--line); }
main > ul { border: 0; padding: 0; }
li { margin: .2rem 0; overflow-wrap: anywhere; }
summary { cursor: pointer; border-radius: .25rem; }
summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
summary b { color: var(--accent); }
.quiet, p { color: var(--quiet); font-size: .875rem; }
p { margin: .1rem 0 .3rem 1.1rem; }
code { font-size: .8rem; }
h1 + p { margin-left: 0; }
"""

_HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
<h1>{title}</h1>
<p class="quiet">{facts}</p>
<ul>
"""

_OPEN_LEVELS = 1
"""Levels that are unfolded when the page opens."""


def tree_html(root: Outline, *, title: str) -> Iterator[str]:
    """The page, piece by piece; ``title`` is what the corpus or index is called."""
    facts = f"{root.leaves:,} documents. Unfold a topic with a click, or with Enter or Space."
    yield _HEAD.format(title=_text(title), style=_STYLE, facts=facts)
    yield from _item(root, 0)
    yield "</ul>\n</main>\n</body>\n</html>\n"


def _item(outline: Outline, level: int) -> Iterator[str]:
    name = _text(outline.name) or "(no name)"
    if outline.kind == "leaf":
        doc_id = outline.doc_id or ""
        told = f" <code class='quiet'>{_text(doc_id)}</code>" if doc_id != outline.name else ""
        yield f"<li>{name}{told}</li>\n"
        return
    about = f"<p>{_text(outline.description)}</p>\n" if outline.description else ""
    count = f"{outline.leaves:,} document{'' if outline.leaves == 1 else 's'}, #{outline.node}"
    unfolded = " open" if level < _OPEN_LEVELS else ""
    yield f"<li><details{unfolded}><summary><b>{name}</b> <span class='quiet'>{count}</span>"
    yield f"</summary>\n{about}<ul>\n"
    for child in outline.children:
        yield from _item(child, level + 1)
    if outline.hidden:
        yield f"<li class='quiet'>{outline.hidden} children not shown</li>\n"
    yield "</ul></details></li>\n"


def _text(text: str) -> str:
    return escape(one_line(text))
