"""Systems other than Linux: an evening with the installed commands, on the system itself or as if on another."""
