"""Logical forms over tables: programs, their execution, and their explanation in English."""
