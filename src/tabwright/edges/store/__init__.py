"""What outlives the gateway: one SQLite file, the audit record's journal, the policy's file."""
