"""The HTTP face on :3456: who may come in, how long they may take, and the routes behind."""
