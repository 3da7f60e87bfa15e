"""What "relevant" means in each task of BRIGHT (Su et al. 2025, §3), told to a judge."""

from __future__ import annotations

_POST = (
    "The query is a post that asks for an explanation or a solution. A document is relevant if what"
    " it says - a concept, a theory, a fact, a mechanism - is needed to reason out the answer; that"
    " it shares the post's words or topic does not make it relevant."
)
_CODE = (
    "The query is a post about a programming or engineering problem. A document is relevant if it"
    " documents the function, setting, syntax or concept that solves the problem; that it is about"
    " the same software does not make it relevant."
)
_PONY = (
    "The query asks for a program in the language Pony. A document is relevant if it documents a"
    " feature of Pony - syntax, a type, a function - that such a program needs."
)
_LEETCODE = (
    "The query is a coding problem. A document, itself a coding problem with its solution, is"
    " relevant if it is solved with the same algorithm or data structure; that its story is alike"
    " does not make it relevant."
)
_SOLUTION = (
    "The query is a mathematics problem. A document, itself a problem with its solution, is"
    " relevant if its solution uses the same theorem or technique that the query needs; that its"
    " story or numbers are alike does not make it relevant."
)
_THEOREM = (
    "The query is a mathematics problem. A document is relevant if it states the theorem or"
    " definition that is needed to solve the problem."
)

RELEVANCE = {
    **dict.fromkeys(
        ("biology", "earth_science", "economics", "psychology", "sustainable_living"), _POST
    ),
    "robotics": _CODE,
    "stackoverflow": _CODE,
    "pony": _PONY,
    "leetcode": _LEETCODE,
    "aops": _SOLUTION,
    "theoremqa_questions": _SOLUTION,
    "theoremqa_theorems": _THEOREM,
}
"""By task name."""
