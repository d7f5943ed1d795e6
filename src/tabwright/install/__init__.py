"""Telling MCP clients on this machine about tabwright: which there are, and their configuration with and without it."""
