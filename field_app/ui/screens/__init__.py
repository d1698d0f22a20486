"""One file per screen of the tablet. Each screen takes the desk and draws one view-model."""
