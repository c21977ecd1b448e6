"""Contracts over HTTP: each package translates one contract to the core and back."""
