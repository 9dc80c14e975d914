"""One file for each kind of result, and how it is shortened."""
