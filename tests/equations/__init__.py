"""Tests of the equations: by hand, against PyTorch, across libraries, and by their properties."""
