"""A causal language model in torch: loaded, asked for many completions at once, differentiated."""

from leafward.models.causal.loading import load_causal
from leafward.models.causal.model import CausalModel
from leafward.models.causal.sampling import Sampled, generate
from leafward.models.causal.sources import Source, is_checkpoint, parse_source

__all__ = [
    "CausalModel",
    "Sampled",
    "Source",
    "generate",
    "is_checkpoint",
    "load_causal",
    "parse_source",
]
