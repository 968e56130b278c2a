"""Aggregators: how the measures of a cohort become one answer. One file each, named as the aggregator."""
