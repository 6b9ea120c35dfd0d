"""Count exactly what a piece of code did: round trips, commands, bytes, messages."""
