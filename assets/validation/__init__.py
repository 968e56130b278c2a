"""What must hold of the tables, the pairs and the wording before a release is written."""
