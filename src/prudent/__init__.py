"""Prudent."""
