"""What people look at: cases, and how they are found."""
