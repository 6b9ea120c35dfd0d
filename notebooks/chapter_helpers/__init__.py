"""What one chapter alone draws or measures with. It stands on lab_utils, which knows nothing of it."""
