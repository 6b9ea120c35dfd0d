"""Provide the course: exercises, claims, guesses, and what the lab remembers of the learner."""
