"""Reads files that nobody vouches for, each in a process of its own."""
