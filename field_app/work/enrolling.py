"""Enrolment, sign-in, PIN, and where the app opens."""
