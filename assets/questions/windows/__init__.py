"""Windows: the interval of a unit in which records count. One file each, named as the window."""
