"""The Django admin of the catalog: configuration can be edited, decisions made, evidence and catalog read."""

from . import catalog, configuration, decisions, evidence

__all__ = ["catalog", "configuration", "decisions", "evidence"]
