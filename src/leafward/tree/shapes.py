"""The shapes of the model's answers; their titles are the schema names that providers see."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from leafward.tree.levels import LEVELS

FiveTexts = Annotated[list[str], Field(min_length=len(LEVELS), max_length=len(LEVELS))]


class PassageSummaries(BaseModel):
    """Five summaries of the passage with this id, from broad to specific."""

    id: int
    summaries: FiveTexts


class Summaries(BaseModel):
    """Summaries of every passage of a prompt."""

    model_config = ConfigDict(title="summaries")

    passages: list[PassageSummaries]


class Cluster(BaseModel):
    """Keywords that belong together."""

    name: str
    description: str
    keywords: list[str]


class Clusters(BaseModel):
    """A partition of the keywords of a prompt."""

    model_config = ConfigDict(title="clusters")

    clusters: list[Cluster]


class GroupDescription(BaseModel):
    """What a group of documents or nodes is about."""

    model_config = ConfigDict(title="describe_group")

    name: str
    description: str
