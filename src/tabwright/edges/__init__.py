"""The only modules that open sockets, pipes, processes or files."""
