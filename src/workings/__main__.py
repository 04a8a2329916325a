"""`python -m workings`."""

from workings.cli import main

if __name__ == "__main__":
    main()
