"""ClinicalTrials.gov over its API v2."""

from leafward.engines.trials.engine import TrialsEngine

__all__ = ["TrialsEngine"]
