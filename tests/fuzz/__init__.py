"""Fuzzing of what reads foreign bytes: no input may raise, and no check may fail on one."""
