"""Design aids: what makes tool definitions that models get right. Imported by the command line only."""
