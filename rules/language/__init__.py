"""What the language forbids or leaves undefined."""
