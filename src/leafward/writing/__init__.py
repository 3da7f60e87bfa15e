"""Query writing: from an information need to an expression for an engine."""

from leafward.writing.rewriters import Hyde, PlainRewriter, Query2Doc, Rewriter

__all__ = ["Hyde", "PlainRewriter", "Query2Doc", "Rewriter"]
