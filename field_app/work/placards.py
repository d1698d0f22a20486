"""The placard: printing, the tap that posts, and signing."""
