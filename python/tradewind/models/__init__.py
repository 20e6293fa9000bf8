"""Runs of the mini-models with real data: cases, results, files."""
