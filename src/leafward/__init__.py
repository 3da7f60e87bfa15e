"""Leafward: retrieval for questions where relevance needs reasoning."""
