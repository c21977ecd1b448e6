"""Documents in: chunk → embed → index."""
