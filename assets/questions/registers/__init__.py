"""Registers: ways of saying a question. One file each, named as the register."""
