"""stdio: the pump a client starts, and what it does while there is no gateway yet."""
