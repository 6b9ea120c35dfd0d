"""What a piece of code did, counted exactly: round trips, commands, bytes, messages, segments."""
