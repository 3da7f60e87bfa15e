"""Stand-ins for search services: their protocols over loopback, and as bad as you ask for."""

from leafward.testing.services.desk import SERVICE_FAULTS
from leafward.testing.services.standin import StandInServices

__all__ = ["SERVICE_FAULTS", "StandInServices"]
