"""Experiments: one file describes methods on a collection; runs, tables, figures, a report."""
