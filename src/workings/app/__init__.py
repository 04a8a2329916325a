"""The local server behind `workings serve`: examples, files of one folder, and trained models, in the browser."""
