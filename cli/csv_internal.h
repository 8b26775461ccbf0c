// Cutting the text of a CSV file into lines and fields.
#ifndef TS_CLI_CSV_INTERNAL_H
#define TS_CLI_CSV_INTERNAL_H

/// Cuts the next line out of the text and moves it on; NULL at its end.
char* ts_csv_line(char** text);

/// Cuts the next field, without blanks around it, out of a line; *cursor becomes NULL behind the last one. No field holds a comma.
char* ts_csv_field(char** cursor);

#endif
