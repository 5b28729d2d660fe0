"""What every room stands on: whole files, locks, processes, compiled code, seeds, settings."""
