"""`read_page`: the nodes of a page's frames, and the outline written from them."""
