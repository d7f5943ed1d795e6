"""Tools offered by pages of all tabs, in one list: registry, names, descriptions, routing, cache. Pure."""
