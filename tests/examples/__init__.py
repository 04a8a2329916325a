"""Tests of the worked examples: the numbers that the two texts print, our own examples, and the file format."""
