"""What one chapter alone draws or measures with. It stands on lab_utils, never under it."""
