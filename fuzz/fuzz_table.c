/* Tables: any bytes, read with any options, are a table or a sentence. The first three bytes choose the
 * options. */
#include <stdlib.h>
#include <unistd.h>

#include "fuzz.h"

static void ignore(void *user, lf_level level, const char *note)
{
    (void)level;
    (void)user;
    (void)note;
}

static lf_read_options choose_options(const uint8_t bytes[3])
{
    static const char
        *const times[] = {NULL, "row", "time", "x"},
               *const outputs[] = {NULL, NULL, "a", "a,b"}, *const drops[] = {NULL, NULL, "b", "note"},
               *const separators[] = {NULL, NULL, "semicolon", "space"}, *const decimals[] = {NULL, NULL, NULL, ","},
               *const missing[] = {NULL, NULL, "-999", "x,-9"}, *const units[] = {NULL, NULL, "s", "number"},
               *const work_units[] = {NULL, NULL, NULL, "h"};
    return (lf_read_options){.size = sizeof(lf_read_options),
                             .time = times[bytes[0] & 3],
                             .outputs = outputs[bytes[0] >> 2 & 3],
                             .drop = drops[bytes[0] >> 4 & 3],
                             .separator = separators[bytes[0] >> 6],
                             .decimal = decimals[bytes[1] & 3],
                             .missing = missing[bytes[1] >> 2 & 3],
                             .time_in = units[bytes[1] >> 4 & 3],
                             .time_unit = work_units[bytes[1] >> 6],
                             .inputs_only = bytes[2] & 1,
                             .ignore_columns = bytes[2] >> 1 & 1,
                             .replicates_by_file = bytes[2] >> 2 & 1,
                             .replicate_column = bytes[2] >> 5 & 1 ? "b" : NULL,
                             .output_column = bytes[2] >> 3 & 1 ? "a" : NULL,
                             .value_column = bytes[2] >> 4 & 1 ? "b" : NULL,
                             .time_format = bytes[2] >> 5 & 1 ? "%d.%m.%y %H:%M" : NULL};
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 3) {
        return 0;
    }
    char path[64];
    fuzz_begin();
    lf_context *ctx = fuzz_context();
    lf_data *data = NULL;
    lf_read_options options = choose_options(bytes);
    int file = fuzz_file(bytes + 3, size - 3, path);
    lf_context_set_log(ctx, ignore, NULL);
    lf_status status = lf_data_read(ctx, path, &options, &data);
    fuzz_check(ctx, status);
    if (status == LF_OK && lf_data_count(data, LF_KIND_ROW) == 0) {
        abort();
    }
    lf_data_free(data);
    close(file);
    lf_context_free(ctx);
    fuzz_end(size);
    return 0;
}
