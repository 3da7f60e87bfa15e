"""Asking a model for a shape: schema, pydantic, repair, one re-ask, and what can be salvaged."""
