"""The dashboard's routes and what each of them tells."""
