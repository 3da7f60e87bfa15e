"""What engines share that are services on the network."""

from leafward.engines.services.client import ServiceClient
from leafward.engines.services.exchange import Request, Response
from leafward.engines.services.service import Service

__all__ = ["Request", "Response", "Service", "ServiceClient"]
