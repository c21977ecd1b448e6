"""What is kept, written once over `Items`."""
