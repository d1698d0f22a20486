"""What is signed and where it is: the outbox screen and the status bar."""
