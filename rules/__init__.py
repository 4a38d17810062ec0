"""The built-in rule pack: one folder per family, one file per rule.

Installed as ``kernlint_rules`` and found like anybody else's pack, by the entry-point group ``kernlint.rules``.
"""
