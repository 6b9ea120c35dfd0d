"""A lab for everybody in a room: the hub, its proxy, and the board."""
