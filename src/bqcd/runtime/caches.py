"""Where this user's caches are."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_home() -> Path:
    """Folder of bqcd among the caches of this user, where ``pooch.os_cache`` has it too."""
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
        return Path(local) / "bqcd" / "bqcd" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "bqcd"
    named = os.environ.get("XDG_CACHE_HOME", "").strip()
    return (Path(named) if named else Path.home() / ".cache") / "bqcd"
