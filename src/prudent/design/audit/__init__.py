"""What a journal tells about the tools that were used: findings, and what to remove, merge or join to a macro."""
