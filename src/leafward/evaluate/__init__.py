"""Measures, runs, experiments and reports: what is known about a method, and how surely."""

from leafward.evaluate.collections import read_collection
from leafward.evaluate.journal import read_journal
from leafward.evaluate.journal_lines import Header
from leafward.evaluate.measures import DEFAULT_MEASURES, Measures
from leafward.evaluate.order import Run, trec_order
from leafward.evaluate.running import evaluate
from leafward.evaluate.statistics import Comparison, Interval, bootstrap, compare, holm, told_p
from leafward.evaluate.summary import Estimate, Summary, summarise
from leafward.evaluate.topics import read_topics, write_topics
from leafward.evaluate.trec import read_qrels_file, read_run, write_qrels, write_run

__all__ = [
    "DEFAULT_MEASURES",
    "Comparison",
    "Estimate",
    "Header",
    "Interval",
    "Measures",
    "Run",
    "Summary",
    "bootstrap",
    "compare",
    "evaluate",
    "holm",
    "read_collection",
    "read_journal",
    "read_qrels_file",
    "read_run",
    "read_topics",
    "summarise",
    "told_p",
    "trec_order",
    "write_qrels",
    "write_run",
    "write_topics",
]
