"""Reports as single HTML files: no script, no network, readable on a phone, on paper and without colour vision."""
