"""What people change, and that it lasts, and that it can be taken back."""
