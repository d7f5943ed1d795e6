"""`find`: which elements of a page a few words mean."""
