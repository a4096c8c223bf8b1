"""``python -m twitter_tool``: the command line."""

from twitter_tool.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
