"""Questions in: retrieve → rerank → assemble → answer."""
