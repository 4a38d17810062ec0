// Built-in vector types, dim3 and the thread's coordinates.
#pragma once
#pragma clang system_header

#define KL_VECTOR(T, N, A2, A4) \
    struct N##1 { T x; }; \
    struct __attribute__((aligned(A2))) N##2 { T x, y; }; \
    struct N##3 { T x, y, z; }; \
    struct __attribute__((aligned(A4))) N##4 { T x, y, z, w; }; \
    N##1 make_##N##1(T); \
    N##2 make_##N##2(T, T); \
    N##3 make_##N##3(T, T, T); \
    N##4 make_##N##4(T, T, T, T);

KL_VECTOR(signed char, char, 2, 4)
KL_VECTOR(unsigned char, uchar, 2, 4)
KL_VECTOR(short, short, 4, 8)
KL_VECTOR(unsigned short, ushort, 4, 8)
KL_VECTOR(int, int, 8, 16)
KL_VECTOR(unsigned int, uint, 8, 16)
KL_VECTOR(long, long, 16, 16)
KL_VECTOR(unsigned long, ulong, 16, 16)
KL_VECTOR(long long, longlong, 16, 16)
KL_VECTOR(unsigned long long, ulonglong, 16, 16)
KL_VECTOR(float, float, 8, 16)
KL_VECTOR(double, double, 16, 16)
#undef KL_VECTOR

struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    constexpr operator uint3() const { return uint3{x, y, z}; }
};

extern const __device__ uint3 threadIdx;
extern const __device__ uint3 blockIdx;
extern const __device__ dim3 blockDim;
extern const __device__ dim3 gridDim;
extern const __device__ int warpSize;
