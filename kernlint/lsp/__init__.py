"""The language server: findings in an editor while the text is typed.

``server`` speaks with the editor, ``analyst`` is the process that analyses, ``worker`` the line between them, ``view``
what findings look like in the protocol.  Only ``server`` and ``view`` need the extra ``kernlint[lsp]``.
"""
