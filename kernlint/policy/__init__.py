"""What is asked of whom: settings, the choice of rules, suppressions, baselines and packs of rules."""
