"""``python -m service.cli``: the command without its console script."""

from service.cli import main

main()
