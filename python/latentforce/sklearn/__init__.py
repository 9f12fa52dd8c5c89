"""Estimators for scikit-learn, which must be installed (1.6 or later): a regressor and an imputer.

Both pass all checks of ``sklearn.utils.estimator_checks.check_estimator``. INAPPLICABLE_CHECKS lists those that scikit-learn has
for other estimators, and why.
"""

from __future__ import annotations

from ._imputer import LatentForceImputer
from ._regressor import LatentForceRegressor

#: Checks of scikit-learn that do not apply, by patterns of their names, with the reasons.
INAPPLICABLE_CHECKS: dict[str, str] = {
    "check_*sample_weight*": "fit has no sample_weight: known errors of values are sd= of latentforce.fit()",
    "check_array_api_[!i]*": "arrays are those of NumPy; other namespaces of the array API are not accepted",
    "check_array_api_input_and_values": "as above",
    "check_class*": "for classifiers",
    "check_decision_proba_consistency": "for classifiers",
    "check_cluster*": "for clusterers",
    "check_outlier*": "for detectors of outliers",
    "check_fit_non_negative": "X may be negative",
    "check_nonsquare_error": "X is not a matrix of kernels",
    "check_sparsify_coefficients": "there is no coef_",
    "check_transformers_unfitted_stateless": "transform needs what fit has learnt",
    "check_param_validation": "about a private table of scikit-learn; the library checks the values of options in fit",
    "check_*set_output_transform_p*": "LatentForceImputer returns a DataFrame where it is given one, also without set_output",
    "check_global_output_transform_pandas": "as above",
}

__all__ = ["INAPPLICABLE_CHECKS", "LatentForceImputer", "LatentForceRegressor"]
