"""Judges: whatever can score the candidates of a slate."""
