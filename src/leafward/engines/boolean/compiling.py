"""From the tree of an expression to a query of tantivy."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from leafward.engines.boolean.index import DATE
from leafward.engines.boolean.nodes import Chain, Dates, Leaf, Node, Operator, Term, fold
from leafward.engines.boolean.terms import MAX_EXPANSIONS, TermCompiler
from leafward.errors import QuerySyntaxError

if TYPE_CHECKING:
    import tantivy


class Compiler:
    """Compiles expressions for one index, remembering the terms it has seen; safe in threads."""

    def __init__(self, searcher: tantivy.Searcher, schema: tantivy.Schema) -> None:
        import tantivy

        self._schema = schema
        self._query = tantivy.Query
        self._occur = tantivy.Occur
        self._type = tantivy.FieldType.Unsigned
        self._terms = lru_cache(maxsize=20_000)(TermCompiler(searcher, schema).compile)

    def compile(self, node: Node) -> tantivy.Query:
        """The query that finds what the expression finds.

        Raises:
            QuerySyntaxError: truncated words stand for more than :data:`MAX_EXPANSIONS`.
        """
        expansions = 0

        def compiled(leaf: Leaf) -> tantivy.Query:
            nonlocal expansions
            if isinstance(leaf, Dates):
                return self._dates(leaf)
            term = self._terms(leaf)
            expansions += term.expansions
            if expansions > MAX_EXPANSIONS:
                raise _too_many(leaf)
            return term.query

        return fold(node, compiled, self._chain)

    def _dates(self, dates: Dates) -> tantivy.Query:
        bounds = dates.first.start, dates.last.end
        return self._query.range_query(
            self._schema, DATE, self._type, *bounds, use_inverted_index=True
        )

    def _chain(self, chain: Chain, parts: list[tantivy.Query]) -> tantivy.Query:
        """Left to right; neighbours of one kind share a level, as they would give the same set."""
        conjunction: list[tuple[tantivy.Occur, tantivy.Query]] = []
        alternatives = [parts[0]]
        for (operator, _), part in zip(chain.rest, parts[1:], strict=True):
            if operator is Operator.OR:
                if conjunction:
                    alternatives, conjunction = [self._query.boolean_query(conjunction)], []
                alternatives.append(part)
                continue
            if not conjunction:
                conjunction = [(self._occur.Must, self._any(alternatives))]
            negated = operator is Operator.NOT
            conjunction.append((self._occur.MustNot if negated else self._occur.Must, part))
        return self._query.boolean_query(conjunction) if conjunction else self._any(alternatives)

    def _any(self, queries: list[tantivy.Query]) -> tantivy.Query:
        if len(queries) == 1:
            return queries[0]
        return self._query.boolean_query([(self._occur.Should, query) for query in queries])


def _too_many(term: Term) -> QuerySyntaxError:
    return QuerySyntaxError(
        f"truncated words stand for more than {MAX_EXPANSIONS} words",
        column=term.column,
        hint="write more letters before *, or fewer truncated words",
    )
