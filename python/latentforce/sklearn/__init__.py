"""Estimators for scikit-learn, which must be installed."""

from __future__ import annotations

from ._imputer import LatentForceImputer
from ._regressor import LatentForceRegressor

__all__ = ["LatentForceImputer", "LatentForceRegressor"]
