"""The app: gathers evidence, resolves it into a catalog, and serves it."""
