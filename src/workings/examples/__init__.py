"""Worked examples: files that state a vocabulary, vectors, matrices and what to compute, and the Working of each.

The format is described in `workings.examples.format`; `template()` gives a commented file to begin with.
"""

from workings.examples.errors import ExampleError
from workings.examples.example import Example, load, names, template

__all__ = ["Example", "ExampleError", "load", "names", "template"]
