"""What the room guessed, live, on the leader's screen: `python -m room.board`."""
