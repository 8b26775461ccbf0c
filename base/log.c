// Formats messages for a listener. Longer messages than the local buffer are cut; nothing is allocated.
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

void ts_log_write(const ts_log* log, ts_log_level level, const char* format, ...) {
    if (!log || !log->write) return;
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (length >= 0) log->write(log->user, level, message);
}
