"""Chat and embedding models: opening them, and what surrounds every call to one."""

from leafward.models.budget import Budget, within
from leafward.models.embedders import open_embedder
from leafward.models.layers import OpenChat
from leafward.models.meter import Meter, counting
from leafward.models.opening import layered, open_chat
from leafward.models.prices import Prices, find_prices
from leafward.models.providers import PROVIDERS
from leafward.models.stop import Stop

__all__ = [
    "PROVIDERS",
    "Budget",
    "Meter",
    "OpenChat",
    "Prices",
    "Stop",
    "counting",
    "find_prices",
    "layered",
    "open_chat",
    "open_embedder",
    "within",
]
