"""Measurements of speed and memory, each beside a yardstick of the same run."""
