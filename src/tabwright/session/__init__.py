"""One MCP client: focus state machine, holds, the list it sees and when it is told. Pure."""
