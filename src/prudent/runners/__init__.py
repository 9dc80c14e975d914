"""How a tool is executed and killed: one module a kind, and `choice` that picks by what the tool declares."""
