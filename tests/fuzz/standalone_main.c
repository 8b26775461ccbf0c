// Runs a fuzz target once on every file named on the command line, for compilers without libFuzzer.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

// Returns 0 when the file could not be read.
static int run_file(const char* path) {
    FILE* file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 0;
    }
    size_t size = 0;
    size_t capacity = 1 << 16;
    uint8_t* data = malloc(capacity);
    while (data) {
        size += fread(data + size, 1, capacity - size, file);
        if (size < capacity) break;
        capacity *= 2;
        uint8_t* grown = realloc(data, capacity);
        if (!grown) free(data);
        data = grown;
    }
    int good = data && !ferror(file);
    fclose(file);
    if (good) {
        // An exact copy, so that the address sanitizer sees a read past the end.
        uint8_t* exact = malloc(size ? size : 1);
        if (exact) {
            for (size_t i = 0; i < size; i++) exact[i] = data[i];
            LLVMFuzzerTestOneInput(exact, size);
        }
        good = exact != NULL;
        free(exact);
    }
    free(data);
    return good;
}

int main(int argc, char** argv) {
    for (int i = 1; i < argc; i++) {
        if (!run_file(argv[i])) return 1;
    }
    printf("%d inputs\n", argc - 1);
    return argc > 1 ? 0 : 1;
}
