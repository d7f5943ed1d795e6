"""One file a server: how an agent runs the errands with its tools.

Every script looks before it acts, with the cheapest look that its server offers for the purpose; uses what the server
has for several fields or steps at once; and is done when its last answer tells that the errand is.
"""
