// The arithmetic of vectors that the CUDA samples' helper_math.h gives, which many projects use and few carry along.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

typedef unsigned int uint;
typedef unsigned short ushort;

#ifdef __HIPCC__ // HIP's vectors have operators of their own
#define KL_OPERATOR2(T, S, OP)
#define KL_OPERATOR3(T, S, OP)
#define KL_OPERATOR4(T, S, OP)
#else
#define KL_OPERATOR2(T, S, OP) \
    inline T operator OP(T a, T b) { return make_##T(a.x OP b.x, a.y OP b.y); } \
    inline T operator OP(T a, S b) { return make_##T(a.x OP b, a.y OP b); } \
    inline T operator OP(S a, T b) { return make_##T(a OP b.x, a OP b.y); } \
    inline void operator OP##=(T &a, T b) { a.x OP##= b.x; a.y OP##= b.y; } \
    inline void operator OP##=(T &a, S b) { a.x OP##= b; a.y OP##= b; }
#define KL_OPERATOR3(T, S, OP) \
    inline T operator OP(T a, T b) { return make_##T(a.x OP b.x, a.y OP b.y, a.z OP b.z); } \
    inline T operator OP(T a, S b) { return make_##T(a.x OP b, a.y OP b, a.z OP b); } \
    inline T operator OP(S a, T b) { return make_##T(a OP b.x, a OP b.y, a OP b.z); } \
    inline void operator OP##=(T &a, T b) { a.x OP##= b.x; a.y OP##= b.y; a.z OP##= b.z; } \
    inline void operator OP##=(T &a, S b) { a.x OP##= b; a.y OP##= b; a.z OP##= b; }
#define KL_OPERATOR4(T, S, OP) \
    inline T operator OP(T a, T b) { return make_##T(a.x OP b.x, a.y OP b.y, a.z OP b.z, a.w OP b.w); } \
    inline T operator OP(T a, S b) { return make_##T(a.x OP b, a.y OP b, a.z OP b, a.w OP b); } \
    inline T operator OP(S a, T b) { return make_##T(a OP b.x, a OP b.y, a OP b.z, a OP b.w); } \
    inline void operator OP##=(T &a, T b) { a.x OP##= b.x; a.y OP##= b.y; a.z OP##= b.z; a.w OP##= b.w; } \
    inline void operator OP##=(T &a, S b) { a.x OP##= b; a.y OP##= b; a.z OP##= b; a.w OP##= b; }
#endif
#define KL_VECTORS(T, S) \
    KL_OPERATOR2(T##2, S, +) KL_OPERATOR2(T##2, S, -) KL_OPERATOR2(T##2, S, *) \
    KL_OPERATOR3(T##3, S, +) KL_OPERATOR3(T##3, S, -) KL_OPERATOR3(T##3, S, *) \
    KL_OPERATOR4(T##4, S, +) KL_OPERATOR4(T##4, S, -) KL_OPERATOR4(T##4, S, *) \
    inline T##2 make_##T##2(S s) { return make_##T##2(s, s); } \
    inline T##2 make_##T##2(T##3 a) { return make_##T##2(a.x, a.y); } \
    inline T##3 make_##T##3(S s) { return make_##T##3(s, s, s); } \
    inline T##3 make_##T##3(T##2 a) { return make_##T##3(a.x, a.y, 0); } \
    inline T##3 make_##T##3(T##2 a, S s) { return make_##T##3(a.x, a.y, s); } \
    inline T##3 make_##T##3(T##4 a) { return make_##T##3(a.x, a.y, a.z); } \
    inline T##4 make_##T##4(S s) { return make_##T##4(s, s, s, s); } \
    inline T##4 make_##T##4(T##3 a) { return make_##T##4(a.x, a.y, a.z, 0); } \
    inline T##4 make_##T##4(T##3 a, S s) { return make_##T##4(a.x, a.y, a.z, s); } \
    inline S dot(T##2 a, T##2 b) { return a.x * b.x + a.y * b.y; } \
    inline S dot(T##3 a, T##3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; } \
    inline S dot(T##4 a, T##4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; } \
    S clamp(S, S, S); \
    T##2 clamp(T##2, S, S); T##2 clamp(T##2, T##2, T##2); \
    T##3 clamp(T##3, S, S); T##3 clamp(T##3, T##3, T##3); \
    T##4 clamp(T##4, S, S); T##4 clamp(T##4, T##4, T##4);
KL_VECTORS(float, float)
KL_VECTORS(int, int)
KL_VECTORS(uint, unsigned)
#undef KL_VECTORS
KL_OPERATOR2(float2, float, /)
KL_OPERATOR3(float3, float, /)
KL_OPERATOR4(float4, float, /)
#undef KL_OPERATOR2
#undef KL_OPERATOR3
#undef KL_OPERATOR4

#ifdef __HIPCC__
#define KL_NEGATED(T)
#else
#define KL_NEGATED(T) \
    inline T##2 operator-(const T##2 &a) { return make_##T##2(-a.x, -a.y); } \
    inline T##3 operator-(const T##3 &a) { return make_##T##3(-a.x, -a.y, -a.z); } \
    inline T##4 operator-(const T##4 &a) { return make_##T##4(-a.x, -a.y, -a.z, -a.w); }
#endif
#define KL_SIGNED(T) \
    KL_NEGATED(T) \
    T##2 abs(T##2); T##3 abs(T##3); T##4 abs(T##4);
KL_SIGNED(float)
KL_SIGNED(int)
#undef KL_SIGNED
#undef KL_NEGATED
inline float2 make_float2(int2 a) { return make_float2(float(a.x), float(a.y)); }
inline float2 make_float2(uint2 a) { return make_float2(float(a.x), float(a.y)); }
inline float3 make_float3(int3 a) { return make_float3(float(a.x), float(a.y), float(a.z)); }
inline float3 make_float3(uint3 a) { return make_float3(float(a.x), float(a.y), float(a.z)); }
inline float4 make_float4(int4 a) { return make_float4(float(a.x), float(a.y), float(a.z), float(a.w)); }
inline float4 make_float4(uint4 a) { return make_float4(float(a.x), float(a.y), float(a.z), float(a.w)); }
inline int2 make_int2(uint2 a) { return make_int2(int(a.x), int(a.y)); }
inline int2 make_int2(float2 a) { return make_int2(int(a.x), int(a.y)); }
inline int3 make_int3(uint3 a) { return make_int3(int(a.x), int(a.y), int(a.z)); }
inline int3 make_int3(float3 a) { return make_int3(int(a.x), int(a.y), int(a.z)); }
inline int4 make_int4(float4 a) { return make_int4(int(a.x), int(a.y), int(a.z), int(a.w)); }
inline uint2 make_uint2(int2 a) { return make_uint2(unsigned(a.x), unsigned(a.y)); }
inline uint3 make_uint3(int3 a) { return make_uint3(unsigned(a.x), unsigned(a.y), unsigned(a.z)); }
float2 fminf(float2, float2);
float3 fminf(float3, float3);
float4 fminf(float4, float4);
float2 fmaxf(float2, float2);
float3 fmaxf(float3, float3);
float4 fmaxf(float4, float4);
float lerp(float, float, float);
float2 lerp(float2, float2, float);
float3 lerp(float3, float3, float);
float4 lerp(float4, float4, float);
#define KL_FLOATS(T) \
    float length(T); \
    T normalize(T); \
    T floorf(T); \
    T fracf(T); \
    T fmodf(T, T); \
    T fabs(T); \
    T smoothstep(T, T, T);
KL_FLOATS(float2)
KL_FLOATS(float3)
KL_FLOATS(float4)
#undef KL_FLOATS
float fracf(float);
float smoothstep(float, float, float);
inline float3 cross(float3 a, float3 b) {
    return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
float3 reflect(float3, float3);

#pragma clang force_cuda_host_device end
