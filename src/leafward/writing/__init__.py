"""Query writing: from an information need to an expression for an engine, and what it is worth."""

from leafward.writing.environment import Environment
from leafward.writing.parsing import parse_completion
from leafward.writing.rewards import Reward, make_reward
from leafward.writing.rewriters import Hyde, PlainRewriter, Query2Doc, Rewriter
from leafward.writing.styles import Prompt, Style
from leafward.writing.tally import Tally, tally

__all__ = [
    "Environment",
    "Hyde",
    "PlainRewriter",
    "Prompt",
    "Query2Doc",
    "Reward",
    "Rewriter",
    "Style",
    "Tally",
    "make_reward",
    "parse_completion",
    "tally",
]
