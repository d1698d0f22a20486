"""Photos: kept first, then looked at."""
