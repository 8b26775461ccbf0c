// The library prints nothing. Whoever wants to hear it passes a ts_log; a zero-initialised one is silent.
#ifndef TS_BASE_LOG_H
#define TS_BASE_LOG_H

#ifdef __cplusplus
extern "C" {
#endif

/// How much a message matters.
typedef enum ts_log_level { TS_LOG_INFO, TS_LOG_WARNING, TS_LOG_ERROR } ts_log_level;

/// Where messages go. `write` may be NULL (silent). `user` is handed back unchanged and stays the caller's.
typedef struct ts_log {
    void (*write)(void* user, ts_log_level level, const char* message);
    void* user;
} ts_log;

/// Formats and hands a message to the log (NULL is silent).
void ts_log_write(const ts_log* log, ts_log_level level, const char* format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

#ifdef __cplusplus
}
#endif
#endif
