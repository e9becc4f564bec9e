"""XML that is well-formed whatever the text in it, printed by the templates in `templates/feeds/`."""

import re
from typing import Any

from django.template.loader import render_to_string

# What XML 1.0 cannot carry at all, and the control characters that it advises against.
NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


def xml_text(text: str) -> str:
    return NOT_XML.sub("", text)


def document(template: str, **context: Any) -> str:
    """A whole document."""
    # Over the whole document, because any text in it may bring such characters.
    return xml_text(render_to_string(f"feeds/{template}.xml", context, using="jinja2"))
