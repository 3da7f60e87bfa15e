"""Measures, runs, experiments and reports: what is known about a method, and how surely."""
