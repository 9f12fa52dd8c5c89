/* Devices by name, and their failures. */
#include "device/device.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/processes.h"

int lf_device_is_named(const char *name) { return name && *name && strcmp(name, "cpu") != 0; }

/* What follows "NAME:" in a name, "" for "NAME" itself; NULL: it is another. */
static const char *rest_of(const char *name, const char *class)
{
    size_t length = strlen(class);
    if (strncmp(name, class, length) != 0 || (name[length] && name[length] != ':')) {
        return NULL;
    }
    return name[length] ? name + length + 1 : name + length;
}

static lf_status open_class(lf_context *ctx, const lf_device_class *class, const char *rest, int here,
                            lf_device **device)
{
    *device = calloc(1, sizeof **device);
    if (!*device) {
        return lf_no_memory(ctx);
    }
    (*device)->op = class;
    (*device)->here = here;
    class->open(*device, rest, lf_process_rank(ctx));
    lf_status status = lf_device_status(ctx, *device);
    if (status) {
        lf_device_close(*device);
        *device = NULL;
    }
    return status;
}

lf_status lf_device_open(lf_context *ctx, const char *name, lf_device **device)
{
    *device = NULL;
    if (!lf_device_is_named(name)) {
        return LF_OK;
    }
    const char *rest = rest_of(name, "host");
    if (rest) {
        return open_class(ctx, &lf_device_host, rest, 0, device);
    }
    if (strcmp(name, "gpu") != 0) {
        return lf_fail(ctx, LF_ERROR_ARGUMENT, "unknown device '%s'; the devices are cpu and gpu", name);
    }
#ifdef LF_CUDA
    return open_class(ctx, &lf_device_cuda, "", 0, device);
#else
    return lf_fail(ctx, LF_ERROR_UNSUPPORTED,
                   "device gpu: this latentforce was built without CUDA; build it with -DLF_CUDA=ON, or use cpu");
#endif
}

lf_status lf_device_open_any(lf_context *ctx, const char *name, lf_device **device)
{
    return lf_device_is_named(name) ? lf_device_open(ctx, name, device)
                                    : open_class(ctx, &lf_device_host, "", 1, device);
}

void lf_device_close(lf_device *device)
{
    if (device) {
        device->op->close(device);
        free(device);
    }
}

lf_status lf_device_status(lf_context *ctx, const lf_device *device)
{
    return device->status ? lf_fail(ctx, device->status, "%s", device->message) : LF_OK;
}

void lf_device_fail(lf_device *device, lf_status status, const char *format, ...)
{
    if (device->status) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(device->message, sizeof device->message, format, arguments);
    va_end(arguments);
    device->status = status;
}
