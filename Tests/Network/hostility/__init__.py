"""Ill-behaved members against real nodes: the cases, the nodes they meet, and what is measured meanwhile."""
