"""Anchor events: what opens or closes a window. One file each, named as the event."""
