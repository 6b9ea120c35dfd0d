"""Draw figures from numbers; nothing is measured here."""
