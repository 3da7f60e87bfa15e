"""``python -m leafward``, for when the ``leafward`` script is not on the path."""

from leafward.cli import main

main()
