"""Words, numbers and tables as text for messages, tables and notebooks."""
