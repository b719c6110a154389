"""Addresses of billing."""

from __future__ import annotations

from core.api.router import Route

PROTECTED: list[Route] = []

PRIVATE: list[Route] = []
