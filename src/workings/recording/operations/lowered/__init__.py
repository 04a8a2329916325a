"""Composite operations written with simpler ones, over arrays; recorded line by line when a step is opened."""
