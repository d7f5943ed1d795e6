"""The life of one call: hold, policy, run, clean, audit. The only way to run anything."""
