"""tabwright: a person's own browser as MCP tools."""

__version__ = "0.1.0"
