"""Results of runs as typed values, as a dataset, and as a NetCDF file."""
