"""The gym: sessions over a hospital, the verifier, agents, releases."""
