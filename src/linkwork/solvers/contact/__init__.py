"""Impulses at contacts and limits: the complementarity problem of a step, and its rows through the articulated-body factor."""
