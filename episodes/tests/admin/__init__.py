"""Tests of the admin: every screen opens, decisions take effect at once and can be ended, what is read only stays so."""
