"""The inspection draft: every tap one durable change."""
