"""Estimates, each with its interval. Pure: counts and labels in, numbers out."""
