"""Plays the simulator's scenarios with real nodes; `Tests/Network/mesh-scenario` is the command."""
