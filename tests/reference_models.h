/* The models behind the reference values of ../shared/refs, as files. */
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

#endif
