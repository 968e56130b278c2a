"""What runs in the sandbox: an interpreter that closes itself in, then runs cells. Nothing else of the gym is there.

It stands by itself: the standard library, and pyarrow, pandas and polars for results. Imported by the gym, too, where
another process of its own is to be closed in.
"""
