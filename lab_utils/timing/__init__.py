"""How long it took, fairly; and what other clients felt."""
