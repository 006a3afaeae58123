"""Systems other than Linux: a whole evening of play, on the system itself or imitated on Linux."""
