/* WIDEST before a function: it is compiled for several widths of vector instructions, and the widest that the processor
 * supports is selected when the program is loaded. Only for static functions: for others the shared library would
 * export the symbols of the selection. */
#ifndef LF_BASE_WIDEST_H
#define LF_BASE_WIDEST_H

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__has_attribute) && !defined(__SANITIZE_THREAD__)
#if __has_attribute(target_clones)
#define WIDEST __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
#endif
#ifndef WIDEST
#define WIDEST
#endif

#endif
