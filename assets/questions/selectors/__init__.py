"""Selectors: what becomes of the records of one unit. One file each, named as the selector."""
