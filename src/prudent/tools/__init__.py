"""Tools: their definition, schema, validation and surface."""
