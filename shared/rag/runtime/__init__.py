"""Where the application is put together from its settings."""
