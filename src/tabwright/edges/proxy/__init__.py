"""The hosted proxy's listener, its tokens and its broker."""
