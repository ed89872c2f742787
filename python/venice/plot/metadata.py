"""Metadata of pictures: the command that made them, their caption, and the versions."""

from __future__ import annotations

from typing import NamedTuple

import matplotlib as mpl

from venice import version


class About(NamedTuple):
    """Origin of a picture: the command that draws it, and its caption."""

    command: str = ""
    """Command line that draws the picture again."""
    caption: str = ""
    """Caption of the picture."""

    def fields(self, suffix: str) -> dict[str, str | None]:
        """Return the metadata for a format; it has no date, so that equal pictures are equal files.

        Examples
        --------
        >>> About("venice figure cdf -o cdf.pdf").fields(".pdf")["Subject"]
        'venice figure cdf -o cdf.pdf'
        """
        maker = f"Venice {version.__version__}, matplotlib {mpl.__version__}"
        engine = f"engine {version.engine_digest()}"
        told: dict[str, dict[str, str | None]] = {
            ".pdf": {
                "Creator": maker,
                "Subject": self.command,
                "Title": self.caption,
                "Keywords": engine,
                "CreationDate": None,
            },
            ".svg": {
                "Creator": f"{maker}, {engine}",
                "Description": self.command,
                "Title": self.caption,
                "Date": None,
            },
            ".png": {
                "Software": f"{maker}, {engine}",
                "Source": self.command,
                "Description": self.caption,
            },
        }
        return {key: value for key, value in told[suffix].items() if value != ""}
