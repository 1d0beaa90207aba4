"""The rules about the project itself: its imports, lock files, addresses and pages."""
