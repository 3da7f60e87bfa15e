"""PubMed's query language over a local corpus: parser, printer and engine."""

from leafward.engines.boolean.engine import BooleanEngine, Order
from leafward.engines.boolean.fields import Field
from leafward.engines.boolean.nodes import Chain, Dates, Node, Operator, Term
from leafward.engines.boolean.parser import parse
from leafward.engines.boolean.printer import render

__all__ = [
    "BooleanEngine",
    "Chain",
    "Dates",
    "Field",
    "Node",
    "Operator",
    "Order",
    "Term",
    "parse",
    "render",
]
