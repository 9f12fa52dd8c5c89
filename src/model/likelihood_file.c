/* The member "likelihood" of an output: {"type": "student", "degrees": 4.2}. Without it readings are Gaussian. */
#include "base/context.h"
#include "model/model_file.h"

lf_status lf_read_likelihood(const lf_field *output, lf_output *to)
{
    lf_field likelihood = lf_field_member(output, "likelihood"), type = lf_field_member(&likelihood, "type"),
             noise = lf_field_member(output, "noise_variance");
    const char *name;
    if (!likelihood.value) {
        return lf_field_number(&noise, &to->noise_variance);
    }
    lf_status status = lf_field_object(&likelihood, NULL);
    LF_TRY(status, lf_field_string(&type, &name));
    if (status) {
        return status;
    }
    const lf_likelihood *found = lf_likelihood_find(name);
    if (!found) {
        return lf_field_fail(&type, "unknown likelihood \"%s\"; the likelihoods are %s", name, LF_LIKELIHOOD_NAMES);
    }
    const char *const known[] = {"type", found->number, NULL};
    lf_output_take_likelihood(to, found);
    status = lf_field_object(&likelihood, known);
    if (!status && found->number) {
        lf_field number = lf_field_member(&likelihood, found->number);
        status = lf_field_number(&number, &to->likelihood_number);
    }
    if (!status && !found->has_noise && noise.value) {
        status =
            lf_field_fail(&noise, "readings with the likelihood \"%s\" have no noise_variance; leave it out", name);
    }
    return status || !found->has_noise ? status : lf_field_number(&noise, &to->noise_variance);
}

int lf_write_likelihood(const lf_output *output, json_t *object)
{
    const lf_likelihood *likelihood = lf_output_likelihood(output);
    int bad = likelihood->has_noise && json_object_set_new(object, "noise_variance", json_real(output->noise_variance));
    if (!output->likelihood) {
        return bad;
    }
    json_t *member = json_pack("{s:s}", "type", likelihood->name);
    if (member && likelihood->number) {
        bad |= json_object_set_new(member, likelihood->number, json_real(output->likelihood_number));
    }
    return bad | json_object_set_new(object, "likelihood", member);
}
