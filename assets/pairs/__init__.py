"""Clean questions, what operators make of them, and the balanced set that is released."""
