"""The hosted proxy's core: peers, authentication phases, id mapping, connections. Pure: events in, effects out."""
