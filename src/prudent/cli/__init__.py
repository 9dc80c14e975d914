"""The command line: one file a command group. Nothing here is imported by the library."""
