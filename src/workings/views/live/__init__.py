"""The live page: a Working as one HTML file that runs the recorded steps again when a number is changed."""
