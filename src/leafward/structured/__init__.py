"""Asking a model for a shape: schema, pydantic, repair, one re-ask, and what can be salvaged."""

from leafward.structured.asking import Answer, ask
from leafward.structured.parsing import parse

__all__ = ["Answer", "ask", "parse"]
