"""What units, layouts, actions and slams are worth to a seat, in points: lower is better."""
