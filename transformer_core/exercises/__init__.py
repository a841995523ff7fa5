"""Exercises: what a reader is asked to do, and the measurements that judge it."""
