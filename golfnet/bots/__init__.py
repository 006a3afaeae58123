"""Players that are programs: they see what a person at their seat sees, and choose from what a person may do."""
