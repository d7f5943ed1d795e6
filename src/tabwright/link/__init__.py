"""One browser, however reached: commands, events, and the dialects that carry them. Pure."""
