"""Prudent: a runtime for language-model agents that use tools."""
