/* The device of the tests: "host", or that of LF_TEST_DEVICE in the environment. */
#ifndef LF_TESTS_DEVICE_SUPPORT_H
#define LF_TESTS_DEVICE_SUPPORT_H

#include <stdio.h>
#include <stdlib.h>

#include "device/device.h"

static inline const char *device_name(void)
{
    const char *name = getenv("LF_TEST_DEVICE");
    return name ? name : "host";
}

/* Whether the device is there; else a line says why not, and the test is skipped. */
static inline int has_device(void)
{
    lf_context *ctx = lf_context_create();
    lf_device *device = NULL;
    int there = lf_device_open(ctx, device_name(), &device) == LF_OK;
    if (!there) {
        printf("skipped: %s\n", lf_context_message(ctx));
    }
    lf_device_close(device);
    lf_context_free(ctx);
    return there;
}

#endif
