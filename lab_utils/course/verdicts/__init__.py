"""The judges of the published claims, a module for each chapter: from measurements to a verdict."""
