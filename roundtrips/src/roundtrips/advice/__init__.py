"""What a trace shows that one would change: one rule a module."""

from .rules import Finding, Findings, findings_of

__all__ = ["Finding", "Findings", "findings_of"]
