"""The evaluators of pang2025: an ocean-wave model and its neighbourhood exchange."""
