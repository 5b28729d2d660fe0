"""Pages: the content of a report as one HTML file, or as a fragment for notebooks.

Nothing is computed here: what a page says comes in as a dictionary ready for JSON.
"""

from bqcd.show.pages.fragments import fragment
from bqcd.show.pages.rendering import page

__all__ = ["fragment", "page"]
