"""Brakes: whatever can stop a call or a run. Each is stateless and looks at the run's state only."""
