"""Write a trace as text, HTML, JSON, or for GitHub."""
