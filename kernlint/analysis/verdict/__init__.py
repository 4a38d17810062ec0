"""Every pair and every access asked about, for proofs."""
