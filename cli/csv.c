// Lines and fields of CSV.
#include "cli/csv_internal.h"

#include <string.h>

char* ts_csv_line(char** text) {
    char* line = *text;
    if (!*line) return 0;
    size_t length = strcspn(line, "\n");
    *text = line + length + (line[length] == '\n');
    line[length] = '\0';
    return line;
}

char* ts_csv_field(char** cursor) {
    char* field = *cursor + strspn(*cursor, " \t");
    char* comma = strchr(field, ',');
    char* end = comma ? comma : field + strlen(field);
    *cursor = comma ? comma + 1 : 0;
    while (end > field && strchr(" \t\r", end[-1])) --end;
    *end = '\0';
    return field;
}
