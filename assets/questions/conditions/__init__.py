"""Conditions: records during which another record must happen to count. One file each."""
