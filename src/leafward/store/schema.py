"""The tables of ``index.sqlite`` and the migrations that lead to them."""

from __future__ import annotations

APPLICATION_ID = 0x4C454146
"""Marks the SQLite file as ours ("LEAF"), so that no other database is taken for an index."""

_FIRST = (
    # Titles and metadata are read for whole corpora at once, texts a few at a time: two tables, so
    # that opening an index and filtering it never page through the texts.
    """CREATE TABLE documents (
        key INTEGER PRIMARY KEY,
        doc_id TEXT NOT NULL,
        checksum TEXT NOT NULL,
        title TEXT NOT NULL,
        metadata TEXT NOT NULL,
        UNIQUE (doc_id, checksum)
    ) STRICT""",
    """CREATE TABLE texts (
        document INTEGER PRIMARY KEY REFERENCES documents (key) ON DELETE CASCADE,
        text TEXT NOT NULL
    ) STRICT""",
    # The current generation is the published one with the highest id.
    """CREATE TABLE generations (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        fingerprint TEXT NOT NULL,
        settings TEXT NOT NULL,
        meta TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('draft', 'published')),
        tree_checksum TEXT,
        summaries_checksum TEXT,
        summarised INTEGER,
        created TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE nodes (
        generation INTEGER NOT NULL REFERENCES generations (id) ON DELETE CASCADE,
        node INTEGER NOT NULL,
        parent INTEGER,
        lo INTEGER NOT NULL,
        hi INTEGER NOT NULL,
        depth INTEGER NOT NULL,
        name TEXT NOT NULL,
        description TEXT NOT NULL,
        PRIMARY KEY (generation, node),
        FOREIGN KEY (generation, parent) REFERENCES nodes (generation, node)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX nodes_by_parent ON nodes (generation, parent)",
    """CREATE TABLE leaves (
        generation INTEGER NOT NULL REFERENCES generations (id) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        document INTEGER NOT NULL REFERENCES documents (key),
        parent INTEGER NOT NULL,
        PRIMARY KEY (generation, position),
        FOREIGN KEY (generation, parent) REFERENCES nodes (generation, node)
    ) STRICT, WITHOUT ROWID""",
    "CREATE INDEX leaves_by_document ON leaves (document)",
    "CREATE INDEX leaves_by_parent ON leaves (generation, parent)",
    # By generation, not by document: what a reader's snapshot shows is never rewritten under it.
    """CREATE TABLE summaries (
        generation INTEGER NOT NULL,
        position INTEGER NOT NULL,
        level INTEGER NOT NULL CHECK (level BETWEEN 0 AND 4),
        text TEXT NOT NULL,
        origin TEXT NOT NULL CHECK (origin IN ('model', 'extractive')),
        PRIMARY KEY (generation, position, level),
        FOREIGN KEY (generation, position) REFERENCES leaves (generation, position)
            ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE files (
        generation INTEGER NOT NULL REFERENCES generations (id) ON DELETE CASCADE,
        path TEXT NOT NULL,
        bytes INTEGER NOT NULL,
        sha256 TEXT NOT NULL,
        PRIMARY KEY (generation, path)
    ) STRICT, WITHOUT ROWID""",
    """CREATE TABLE calls (
        key TEXT PRIMARY KEY,
        kind TEXT NOT NULL,
        model TEXT NOT NULL,
        request TEXT NOT NULL,
        answer TEXT NOT NULL,
        calls INTEGER NOT NULL,
        prompt_tokens INTEGER NOT NULL,
        cached_tokens INTEGER NOT NULL,
        completion_tokens INTEGER NOT NULL,
        money REAL,
        created TEXT NOT NULL
    ) STRICT""",
    "CREATE INDEX calls_by_model ON calls (model, created)",
    """CREATE TABLE journal (
        id INTEGER PRIMARY KEY,
        stage TEXT NOT NULL,
        state TEXT NOT NULL,
        detail TEXT NOT NULL,
        created TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE traces (
        id INTEGER PRIMARY KEY,
        generation INTEGER NOT NULL,
        query TEXT NOT NULL,
        trace TEXT NOT NULL,
        created TEXT NOT NULL
    ) STRICT""",
)

MIGRATIONS: tuple[tuple[str, ...], ...] = (_FIRST,)
"""Statements that lead from one schema version to the next; ``PRAGMA user_version`` counts them."""
