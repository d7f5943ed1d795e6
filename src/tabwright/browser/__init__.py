"""What tools act on: browsers, their tabs and what pages offer, above an injected Link."""
