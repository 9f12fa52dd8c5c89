"""Latent force models and convolved multi-output Gaussian processes."""

from __future__ import annotations

from ._library import ffi, lib

__version__: str = ffi.string(lib.lf_version()).decode()
