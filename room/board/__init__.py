"""Serve the board, where the leader sees learners' guesses: `python -m room.board`."""
