"""What speaks for a browser: the extension's socket, a hosted proxy's, pages without the extension."""
