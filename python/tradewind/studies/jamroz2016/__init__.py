"""Evaluators of jamroz2016: both methods, their communication, and the tables of Yellowstone."""
