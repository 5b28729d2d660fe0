"""Scripts outside the package, loaded by their place."""

from __future__ import annotations

import sys
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[1]


@cache
def script(place: str) -> ModuleType:
    """Module of a script, which is not run."""
    name = f"script_{Path(place).stem}"
    spec = spec_from_file_location(name, ROOT / place)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    # Dataclasses look their module up.
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module
