"""Kinds: the sorts of record that questions ask about. One file per theme."""
