"""Recordings of a tab as animated GIFs. Pure."""
