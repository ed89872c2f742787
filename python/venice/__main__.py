"""Entry point of ``python -m venice``: the command ``venice``."""

from venice.cli import main

if __name__ == "__main__":
    main()
