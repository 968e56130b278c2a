"""Wiring only: definitions, jobs, resources, sensors, the command line."""
