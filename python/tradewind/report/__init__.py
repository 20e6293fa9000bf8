"""The output of an experiment: NetCDF data, summary and the result folder."""
