"""What a rule set says: the model, reading one from a file, the presets, and the compiled table of rolls and keeps."""
