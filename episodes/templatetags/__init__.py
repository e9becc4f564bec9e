"""Tags that the templates of the admin need beyond Django's own."""
