"""What the code did: turns, commands, bytes and replies, counted exactly."""
