"""What the preprocessor's conditions leave out, and the settings that switch it on."""
