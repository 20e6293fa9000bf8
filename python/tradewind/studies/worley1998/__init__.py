"""worley1998: tables 1, 3, 4 and 5, measured here and predicted for the machines of the paper."""
