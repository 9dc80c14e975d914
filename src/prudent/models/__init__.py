"""Models behind the `Model` port: by wire, embedded, and scripted for tests."""
