"""The turn loop. It knows ports only."""
