// Built-in vector types, dim3 and the thread's coordinates.
#pragma once
#pragma clang system_header

// HIP's vectors can be made from one value, and have operators; CUDA's are plain aggregates.
#ifdef __HIP__
#define KL_VECTOR_ASSIGN(V, op) \
    V& operator op(const V&); \
    template <class U> __kl_if_arithmetic<U, V&> operator op(U);
#define KL_VECTOR_BINARY(V, op) \
    friend V operator op(const V&, const V&); \
    template <class U> friend __kl_if_arithmetic<U, V> operator op(const V&, U); \
    template <class U> friend __kl_if_arithmetic<U, V> operator op(U, const V&);
#define KL_VECTOR_MEMBERS(T, V) \
    V() = default; \
    explicit V(T); \
    V operator-() const; \
    friend bool operator==(const V&, const V&); \
    friend bool operator!=(const V&, const V&); \
    KL_VECTOR_ASSIGN(V, +=) \
    KL_VECTOR_ASSIGN(V, -=) \
    KL_VECTOR_ASSIGN(V, *=) \
    KL_VECTOR_ASSIGN(V, /=) \
    KL_VECTOR_BINARY(V, +) \
    KL_VECTOR_BINARY(V, -) \
    KL_VECTOR_BINARY(V, *) \
    KL_VECTOR_BINARY(V, /)
#define KL_VECTOR_OF(V, ...) V(__VA_ARGS__);
template <class U, class R> using __kl_if_arithmetic = typename __kl_enable<__is_arithmetic(U), R>::type;
#else
#define KL_VECTOR_MEMBERS(T, V)
#define KL_VECTOR_OF(V, ...)
#endif

#define KL_VECTOR(T, N, A2, A4) \
    struct N##1 { T x; }; \
    struct __attribute__((aligned(A2))) N##2 { \
        T x, y; \
        KL_VECTOR_MEMBERS(T, N##2) \
        KL_VECTOR_OF(N##2, T, T) \
    }; \
    struct N##3 { \
        T x, y, z; \
        KL_VECTOR_MEMBERS(T, N##3) \
        KL_VECTOR_OF(N##3, T, T, T) \
    }; \
    struct __attribute__((aligned(A4))) N##4 { \
        T x, y, z, w; \
        KL_VECTOR_MEMBERS(T, N##4) \
        KL_VECTOR_OF(N##4, T, T, T, T) \
    }; \
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
#undef KL_VECTOR_OF
#undef KL_VECTOR_MEMBERS
#undef KL_VECTOR_BINARY
#undef KL_VECTOR_ASSIGN

struct dim3 {
    unsigned int x, y, z;
    constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
    constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
    operator uint3() const;
};

extern const __device__ uint3 threadIdx;
extern const __device__ uint3 blockIdx;
extern const __device__ dim3 blockDim;
extern const __device__ dim3 gridDim;
extern const __device__ int warpSize;
