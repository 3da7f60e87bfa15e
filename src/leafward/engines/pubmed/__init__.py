"""PubMed over NCBI's E-utilities."""

from leafward.engines.pubmed.dates import Dates
from leafward.engines.pubmed.engine import PubMedEngine

__all__ = ["Dates", "PubMedEngine"]
