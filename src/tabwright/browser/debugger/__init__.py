"""One tab by way of its debugger: commands, events, scripts, input, and what it logs."""
