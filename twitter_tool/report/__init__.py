"""What people ask about their set-up: ``config`` (what is in force), ``doctor`` (what is missing), the table of keys.

Nothing here uses the network or shows a secret.
"""

from __future__ import annotations

from twitter_tool.report.configured import config_report
from twitter_tool.report.doctor import doctor_report
from twitter_tool.report.keys import settings_table

__all__ = ["config_report", "doctor_report", "settings_table"]
