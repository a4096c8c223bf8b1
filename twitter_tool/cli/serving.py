"""The action behind `sandbox`: serve the local stand-in, and say how to use it."""

from __future__ import annotations
