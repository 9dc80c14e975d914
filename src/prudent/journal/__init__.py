"""The record of runs: events as the truth, everything else read from them."""
