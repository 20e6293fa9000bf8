"""Calls, messages, times and wait states of a recorded program, from the folded form of its trace."""
