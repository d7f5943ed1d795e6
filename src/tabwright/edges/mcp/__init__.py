"""MCP: our sessions behind the SDK's loops. Only this package and the HTTP face's streams know the SDK."""
