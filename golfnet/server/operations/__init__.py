"""What operators see and do: metrics, status, logs, audit, the admin socket, and the LAN announcement."""
