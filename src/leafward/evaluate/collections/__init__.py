"""Test collections from the formats in which they come."""

from leafward.evaluate.collections.reading import read_collection

__all__ = ["read_collection"]
