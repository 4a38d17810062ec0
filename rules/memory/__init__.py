"""How memory is accessed: initialisation, aliasing, alignment."""
