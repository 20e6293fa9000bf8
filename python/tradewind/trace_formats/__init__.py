"""Traces of other tools, read into the arrays of ours, and ours written for other tools."""
