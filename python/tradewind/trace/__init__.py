"""Traces of MPI programs: recorded, and put into files."""
