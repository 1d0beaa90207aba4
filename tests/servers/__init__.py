"""Real servers for the tests: started, stopped, frozen and killed at will."""
