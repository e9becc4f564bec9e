"""What the templates of the admin need beyond Django's own tags."""
