"""What a recorded game was worth: every decision and every throw judged, and what luck decided."""
