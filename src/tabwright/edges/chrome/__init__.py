"""Browsers on this machine: found, given the extension, launched, shown a page."""
