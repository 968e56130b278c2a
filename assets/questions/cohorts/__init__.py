"""Cohorts: which units a population question is about. One file each, named as the cohort."""
