"""What makes it a course: exercises, claims, what is remembered."""
