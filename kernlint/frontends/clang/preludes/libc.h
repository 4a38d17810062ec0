// The part of the C library that host code next to kernels uses.
#pragma once
#pragma clang system_header

// Types.
struct _IO_FILE;
typedef _IO_FILE FILE;
extern FILE* stdin, *stdout, *stderr;
struct timeval { long tv_sec, tv_usec; };
struct timespec { long tv_sec, tv_nsec; };
struct timezone { int a, b; };
typedef long time_t;
struct tm { int tm_sec, tm_min, tm_hour, tm_mday, tm_mon, tm_year, tm_wday, tm_yday; };
typedef int pid_t;
typedef unsigned int mode_t;
typedef long off_t;
typedef long clock_t;
#undef alloca
extern "C" {
    // <errno.h>, <stdio.h>
    int* __errno_location();
    int printf(const char*, ...);
    int fprintf(FILE*, const char*, ...);
    int sprintf(char*, const char*, ...);
    int snprintf(char*, size_t, const char*, ...);
    int vprintf(const char*, va_list);
    int vfprintf(FILE*, const char*, va_list);
    int vsnprintf(char*, size_t, const char*, va_list);
    int scanf(const char*, ...);
    int fscanf(FILE*, const char*, ...);
    int sscanf(const char*, const char*, ...);
    int puts(const char*);
    int putchar(int);
    int fputs(const char*, FILE*);
    int fputc(int, FILE*);
    int getc(FILE*);
    int fgetc(FILE*);
    int getchar();
    char* fgets(char*, int, FILE*);
    FILE* fopen(const char*, const char*);
    int fclose(FILE*);
    size_t fread(void*, size_t, size_t, FILE*);
    size_t fwrite(const void*, size_t, size_t, FILE*);
    int fflush(FILE*);
    int fseek(FILE*, long, int);
    long ftell(FILE*);
    void rewind(FILE*);
    int feof(FILE*);
    int ferror(FILE*);
    void perror(const char*);
    int remove(const char*);

    // <stdlib.h>
    void* malloc(size_t);
    void* calloc(size_t, size_t);
    void* realloc(void*, size_t);
    void free(void*);
    void* aligned_alloc(size_t, size_t);
    int posix_memalign(void**, size_t, size_t);
    void* memalign(size_t, size_t);
    void* alloca(size_t);
    void exit(int) __attribute__((noreturn));
    void _exit(int) __attribute__((noreturn));
    void abort() __attribute__((noreturn));
    int atoi(const char*);
    long atol(const char*);
    long long atoll(const char*);
    double atof(const char*);
    long strtol(const char*, char**, int);
    unsigned long strtoul(const char*, char**, int);
    long long strtoll(const char*, char**, int);
    unsigned long long strtoull(const char*, char**, int);
    double strtod(const char*, char**);
    float strtof(const char*, char**);
    int rand();
    void srand(unsigned int);
    long random();
    void srandom(unsigned int);
    double drand48();
    void srand48(long);
    long lrand48();
    int rand_r(unsigned*);
    char* getenv(const char*);
    int system(const char*);
    void qsort(void*, size_t, size_t, int(*)(const void*, const void*));
    int atexit(void(*)());

    // <string.h>, <ctype.h>
    void* memcpy(void*, const void*, size_t);
    void* memset(void*, int, size_t);
    void* memmove(void*, const void*, size_t);
    int memcmp(const void*, const void*, size_t);
    size_t strlen(const char*);
    char* strcpy(char*, const char*);
    char* strncpy(char*, const char*, size_t);
    char* strcat(char*, const char*);
    char* strncat(char*, const char*, size_t);
    int strcmp(const char*, const char*);
    int strncmp(const char*, const char*, size_t);
    int strcasecmp(const char*, const char*);
    char* strchr(const char*, int);
    char* strrchr(const char*, int);
    char* strstr(const char*, const char*);
    char* strtok(char*, const char*);
    char* strtok_r(char*, const char*, char**);
    char* strdup(const char*);
    char* strerror(int);
    int isdigit(int);
    int isspace(int);
    int isalpha(int);
    int isalnum(int);
    int toupper(int);
    int tolower(int);

    // <time.h>, <unistd.h>
    clock_t clock();
    time_t time(time_t*);
    double difftime(time_t, time_t);
    tm* localtime(const time_t*);
    char* ctime(const time_t*);
    size_t strftime(char*, size_t, const char*, const tm*);
    int gettimeofday(timeval*, void*);
    int clock_gettime(int, timespec*);
    unsigned int sleep(unsigned int);
    int usleep(unsigned int);
    int close(int);
    int open(const char*, int, ...);
    long read(int, void*, size_t);
    int getopt(int, char* const*, const char*);
    extern char* optarg;
    extern int optind;
    int getpid();
    long write(int, const void*, size_t);
    int isprint(int);
    int access(const char*, int);
    int strncasecmp(const char*, const char*, size_t);
    int fputs(const char*, FILE*);

    // <omp.h>
    int omp_get_max_threads();
    int omp_get_thread_num();
    int omp_get_num_threads();
    void omp_set_num_threads(int);
    double omp_get_wtime();
}

