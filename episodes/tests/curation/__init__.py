"""Changes by people: they last, and can be taken back."""
