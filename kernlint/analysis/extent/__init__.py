"""Whether an access stays within what it reads or writes, and how an overrun is put into words."""
