"""May this session do this here; URL rules; untrusted text. Pure."""
