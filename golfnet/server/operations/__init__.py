"""What the operator sees and does: metrics, status, logs, audit, the admin socket, and the LAN announcement."""
