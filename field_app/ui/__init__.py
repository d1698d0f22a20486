"""What the inspector sees: one file per screen, each drawn from one view-model, and the parts they share.

The screens know neither store nor facts nor law. They call `Work` and show what its view-models say.
"""
