"""One file for every format that the catalog, or any list of it, can be had in."""
