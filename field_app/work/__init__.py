"""What the inspector does on the tablet: use cases over store, evidence box, hardware and sync client."""
