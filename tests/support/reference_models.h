/* The models behind the reference values, as files. */
#ifndef LF_TESTS_REFERENCE_MODELS_H
#define LF_TESTS_REFERENCE_MODELS_H

#include "support.h"

static UNUSED const char *const small_ode2 =
    "{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":0.5}],"
    "\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode2\",\"mass\":1,\"damper\":3,\"spring\":1},"
    "\"sensitivity\":[10],\"noise_variance\":0.1},{\"name\":\"b\",\"operator\":{\"type\":\"ode2\",\"mass\":1,"
    "\"damper\":0.2,\"spring\":2},\"sensitivity\":[10],\"noise_variance\":0.5}]}";

static UNUSED const char *const small_ode1 =
    "{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":0.5}],"
    "\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode1\",\"decay\":1},\"sensitivity\":[1.5],"
    "\"noise_variance\":0.1},{\"name\":\"b\",\"operator\":{\"type\":\"ode1\",\"decay\":0.3},\"sensitivity\":[-2],"
    "\"noise_variance\":0.5}]}";

/* The first model, its second equation by coefficients. */
static UNUSED const char *const small_ode2_by_coefficients =
    "{\"format\":\"latentforce-model\",\"version\":1,\"forces\":[{\"kernel\":\"eq\",\"lengthscale\":0.5}],"
    "\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"ode2\",\"mass\":1,\"damper\":3,\"spring\":1},"
    "\"sensitivity\":[10],\"noise_variance\":0.1},{\"name\":\"b\",\"operator\":{\"type\":\"ode\","
    "\"coefficients\":[1,0.2,2]},\"sensitivity\":[10],\"noise_variance\":0.5}]}";

/* Two inputs. */
static UNUSED const char *const small_gaussian =
    "{\"format\":\"latentforce-model\",\"version\":1,\"input_dim\":2,\"forces\":[{\"kernel\":\"eq\","
    "\"lengthscale\":0.8}],\"outputs\":[{\"name\":\"a\",\"operator\":{\"type\":\"gaussian\",\"precision\":1.5},"
    "\"sensitivity\":[1.3],\"noise_variance\":0.1},{\"name\":\"b\",\"operator\":{\"type\":\"gaussian\","
    "\"precision\":4},\"sensitivity\":[-0.7],\"noise_variance\":0.2}]}";

#endif
