"""Makers of samples. Each has `samples()`, which yields (name of the file, text)."""
