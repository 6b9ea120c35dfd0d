"""The room's board: what its learners guessed, live, for the leader's screen. `python -m room.board`."""
