"""What the model sees: results shaped, full results kept by handle, the transcript made valid."""
