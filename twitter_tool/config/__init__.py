"""Loading of settings: :func:`load` reads files, environment and code into one frozen value per call."""

from twitter_tool.config.files import FileStatus, working_directory
from twitter_tool.config.loading import Loaded, load

__all__ = ["FileStatus", "Loaded", "load", "working_directory"]
