"""What commands do: through the running gateway, or on this machine without one."""
