"""Run the lab for several learners in one room: a JupyterHub, its proxy, and the leader's board.

The board is a web page on which the leader sees what the learners guess.
"""
