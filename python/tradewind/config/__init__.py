"""Reading what the user wants: machines, programs and experiments, strictly checked."""
