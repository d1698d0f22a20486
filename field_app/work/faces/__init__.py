"""`Work` in parts, one class for each part of the day; `field_app/work/app.py` puts them together."""
