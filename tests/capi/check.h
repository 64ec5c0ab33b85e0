/* What the C test needs of a test framework: checks that say where and what, files, paths. */
#ifndef CUZK_TESTS_CAPI_CHECK_H
#define CUZK_TESTS_CAPI_CHECK_H

#include <cuzk.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Exit code by which CTest knows a test that was left out. */
#define SKIPPED 77

#define FAIL(...)                                               \
    do {                                                        \
        fprintf(stderr, "%s:%d: failed: ", __FILE__, __LINE__); \
        fprintf(stderr, __VA_ARGS__);                           \
        fprintf(stderr, "\n");                                  \
        exit(1);                                                \
    } while (0)

#define CHECK(condition)                          \
    do {                                          \
        if (!(condition)) FAIL("%s", #condition); \
    } while (0)

/* The call must succeed; `error` is the variable that its last argument points to. */
#define CHECK_OK(call)                                                                 \
    do {                                                                               \
        const cuzk_status status_ = (call);                                            \
        if (status_ != CUZK_OK || error != NULL)                                       \
            FAIL("%s: status %d, %s: %s", #call, (int)status_, cuzk_error_kind(error), \
                 cuzk_error_message(error));                                           \
    } while (0)

/* The call must fail with this status and kind, and with a message that holds `text`. */
#define CHECK_ERROR(call, wanted, kind, text)                                                             \
    do {                                                                                                  \
        const cuzk_status status_ = (call);                                                               \
        if (status_ != (wanted) || cuzk_error_status(error) != (wanted) ||                                \
            strcmp(cuzk_error_kind(error), kind) != 0 || strstr(cuzk_error_message(error), text) == NULL) \
            FAIL("%s: status %d, %s: %s", #call, (int)status_, cuzk_error_kind(error),                    \
                 cuzk_error_message(error));                                                              \
        cuzk_error_free(error);                                                                           \
        error = NULL;                                                                                     \
    } while (0)

typedef struct {
    char* data;
    size_t size;
} File;

/* "ROOT/a/b", in one of a few static places: use it at once. */
static inline const char* path_of(const char* root, const char* folder, const char* name) {
    static _Thread_local char paths[4][4096];
    static _Thread_local unsigned next;
    char* path = paths[next++ % 4];
    CHECK(snprintf(path, sizeof paths[0], "%s/%s/%s", root, folder, name) < (int)sizeof paths[0]);
    return path;
}

static inline File read_file(const char* path) {
    File file = {NULL, 0};
    FILE* stream = fopen(path, "rb");
    if (stream == NULL) FAIL("%s cannot be opened", path);
    CHECK(fseek(stream, 0, SEEK_END) == 0);
    file.size = (size_t)ftell(stream);
    rewind(stream);
    file.data = malloc(file.size + 1);
    CHECK(file.data != NULL);
    CHECK(fread(file.data, 1, file.size, stream) == file.size);
    file.data[file.size] = '\0';
    fclose(stream);
    return file;
}

static inline int file_exists(const char* path) {
    FILE* stream = fopen(path, "rb");
    if (stream != NULL) fclose(stream);
    return stream != NULL;
}

#endif
