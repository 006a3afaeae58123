"""The command line: what `golfnet` does when it is called by hand or by a service manager."""
