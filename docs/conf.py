"""How the documentation is built: `make docs`, without a network."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

from docstrings import public_names  # noqa: E402

import bqcd  # noqa: E402

UNITS = (
    "bqcd",
    "bqcd.graphs.cdt_style",
    "bqcd.graphs.formats.causal_learn",
    "bqcd.graphs.formats.dowhy",
    "bqcd.graphs.formats.pgmpy",
    "bqcd.assessments",
    "bqcd.benchmark",
    "bqcd.discovery.code_lengths",
    "bqcd.benchmark.datasets",
    "bqcd.errors",
    "bqcd.graphs",
    "bqcd.graphs.skeletons",
    "bqcd.benchmark.metrics",
    "bqcd.show.plots",
    "bqcd.discovery.quantiles",
    "bqcd.show.reports",
    "bqcd.scans",
)

project = "bqcd"
author = "The bqcd developers"
version = release = bqcd.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "accessibility",
    "command_reference",
    "docstrings",
    "gallery_pages",
    "mathml",
    "method_table",
    "notebook_pages",
    "report_example",
]
exclude_patterns = [
    "_build",
    "_ext",
    "_templates",
    "gallery/ruff.toml",
    "notebooks/*.ipynb",
    "pictures",
]
templates_path = ["_templates"]
nitpicky = False
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autosummary_context = {"public_names": {unit: public_names(unit) for unit in UNITS}}
napoleon_google_docstring = False
napoleon_use_ivar = True
napoleon_use_param = False
napoleon_use_rtype = False
add_module_names = False
python_use_unqualified_type_names = True
toc_object_entries = False

copybutton_exclude = ".linenos, .gp, .go"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "furo"
html_math_renderer = "mathml"
html_title = f"bqcd {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/icon.svg"
html_copy_source = False
html_extra_path = ["../llms.txt"]
html_show_copyright = False
html_show_sphinx = False
html_last_updated_fmt = None
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#0b5d8a",
        "color-brand-content": "#0b5d8a",
        "color-code-background": "#f3f5f7",
    },
    "dark_css_variables": {
        "color-brand-primary": "#6cb8e6",
        "color-brand-content": "#6cb8e6",
    },
}
