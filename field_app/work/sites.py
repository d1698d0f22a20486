"""Sites as they came down."""
