"""The Django project: settings, addresses, and the server entry points."""

__version__ = "1.0.0"  # also in pyproject.toml

# The server's entry points set it before they read the settings: pages have limits that commands
# have not.
serves_pages = False
