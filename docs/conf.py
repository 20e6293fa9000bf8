"""Settings of the documentation; the directives of its own are in _ext/tradewind_docs.py."""

import sys
from pathlib import Path

import tradewind

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "Tradewind"
author = "The Tradewind developers"
copyright = "2026, The Tradewind developers"
release = tradewind.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_click",
    "sphinxcontrib.bibtex",
    "tradewind_docs",
]
exclude_patterns = ["_build"]
smartquotes = False

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
bibtex_bibfiles = ["references.bib"]
bibtex_default_style = "unsrt"
autodoc_typehints = "description"
autodoc_member_order = "bysource"

html_theme = "furo"
html_title = f"Tradewind {release}"
html_static_path = ["_static"]
html_extra_path = ["_extra"]
html_math_renderer = "mathml"
