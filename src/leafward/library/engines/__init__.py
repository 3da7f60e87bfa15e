"""Engines by name: what ``leafward query`` and query writing execute expressions on."""

from leafward.library.engines.names import EngineName, parse_engine
from leafward.library.engines.opened import OpenEngine
from leafward.library.engines.opening import open_engine

__all__ = ["EngineName", "OpenEngine", "open_engine", "parse_engine"]
