// Half precision, bfloat16 and 8-bit floating types.
//
// Operators are hidden friends: at namespace scope they would turn every dependent `a * b` into an overloaded call.
#pragma once
#pragma clang system_header

// With another arithmetic type, halves count as float.
template <class U> struct __kl_half_sum { typedef float type; };
template <> struct __kl_half_sum<double> { typedef double type; };
template <class U>
using __kl_with_half = typename __kl_enable<__is_arithmetic(U), typename __kl_half_sum<U>::type>::type;
template <class U> using __kl_compared = typename __kl_enable<__is_arithmetic(U), bool>::type;

#define KL_HALF_OPERATOR(H, op) \
    friend H operator op(H, H); \
    template <class U> friend __kl_with_half<U> operator op(H, U); \
    template <class U> friend __kl_with_half<U> operator op(U, H);
#define KL_HALF_COMPARISON(H, op) \
    friend bool operator op(H, H); \
    template <class U> friend __kl_compared<U> operator op(H, U); \
    template <class U> friend __kl_compared<U> operator op(U, H);

// Constructors from numbers have bodies for constant expressions; the value they give is not the number's.
#define KL_HALF(H, H2) \
    struct H { \
        unsigned short __x; \
        H() = default; \
        constexpr H(float) : __x() {} \
        constexpr H(double) : __x() {} \
        constexpr H(int) : __x() {} \
        constexpr H(unsigned int) : __x() {} \
        constexpr H(short) : __x() {} \
        constexpr H(unsigned short) : __x() {} \
        constexpr H(long) : __x() {} \
        constexpr H(unsigned long) : __x() {} \
        constexpr H(long long) : __x() {} \
        constexpr H(unsigned long long) : __x() {} \
        constexpr H(__kl_raw_##H) : __x() {} \
        operator float() const; \
        explicit operator __kl_raw_##H() const; \
        H& operator+=(const H&); \
        H& operator-=(const H&); \
        H& operator*=(const H&); \
        H& operator/=(const H&); \
        H& operator++(); \
        H& operator--(); \
        H operator-() const; \
        H operator+() const; \
        KL_HALF_OPERATOR(H, +) \
        KL_HALF_OPERATOR(H, -) \
        KL_HALF_OPERATOR(H, *) \
        KL_HALF_OPERATOR(H, /) \
        KL_HALF_COMPARISON(H, <) \
        KL_HALF_COMPARISON(H, >) \
        KL_HALF_COMPARISON(H, <=) \
        KL_HALF_COMPARISON(H, >=) \
        KL_HALF_COMPARISON(H, ==) \
        KL_HALF_COMPARISON(H, !=) \
    }; \
    struct __attribute__((aligned(4))) H2 { \
        H x; \
        H y; \
        H2() = default; \
        constexpr H2(H a, H b) : x(a), y(b) {} \
        H2& operator+=(const H2&); \
        H2& operator-=(const H2&); \
        H2& operator*=(const H2&); \
        H2& operator/=(const H2&); \
        H2 operator-() const; \
        friend H2 operator+(H2, H2); \
        friend H2 operator-(H2, H2); \
        friend H2 operator*(H2, H2); \
        friend H2 operator/(H2, H2); \
        friend bool operator==(H2, H2); \
        friend bool operator!=(H2, H2); \
    }; \
    H __hadd(H, H); \
    H __hadd_rn(H, H); \
    H __hadd_sat(H, H); \
    H __hsub(H, H); \
    H __hmul(H, H); \
    H __hmul_rn(H, H); \
    H __hdiv(H, H); \
    H __hfma(H, H, H); \
    H __hfma_relu(H, H, H); \
    H __hneg(H); \
    H __habs(H); \
    H __hmax(H, H); \
    H __hmin(H, H); \
    H __hmax_nan(H, H); \
    H __hmin_nan(H, H); \
    bool __hlt(H, H); \
    bool __hgt(H, H); \
    bool __hle(H, H); \
    bool __hge(H, H); \
    bool __heq(H, H); \
    bool __hne(H, H); \
    bool __hisnan(H); \
    int __hisinf(H); \
    H2 __hadd2(H2, H2); \
    H2 __hsub2(H2, H2); \
    H2 __hmul2(H2, H2); \
    H2 __h2div(H2, H2); \
    H2 __hfma2(H2, H2, H2); \
    H2 __hfma2_relu(H2, H2, H2); \
    H2 __hneg2(H2); \
    H2 __habs2(H2); \
    H2 __hmax2(H2, H2); \
    H2 __hmin2(H2, H2); \
    H2 __heq2(H2, H2); \
    H2 __hne2(H2, H2); \
    H2 __hlt2(H2, H2); \
    H2 __hle2(H2, H2); \
    H2 __hgt2(H2, H2); \
    H2 __hge2(H2, H2); \
    H2 __hisnan2(H2); \
    unsigned int __hgt2_mask(H2, H2); \
    unsigned int __hlt2_mask(H2, H2); \
    bool __hbeq2(H2, H2); \
    bool __hbgt2(H2, H2); \
    bool __hblt2(H2, H2); \
    H hexp(H); \
    H hexp2(H); \
    H hlog(H); \
    H hlog2(H); \
    H hsqrt(H); \
    H hrsqrt(H); \
    H hrcp(H); \
    H htanh(H); \
    H hsin(H); \
    H hcos(H); \
    H hceil(H); \
    H hfloor(H); \
    H hrint(H); \
    H htrunc(H); \
    H2 h2exp(H2); \
    H2 h2exp2(H2); \
    H2 h2log(H2); \
    H2 h2sqrt(H2); \
    H2 h2rsqrt(H2); \
    H2 h2rcp(H2); \
    H2 h2tanh(H2); \
    H2 h2ceil(H2); \
    H2 h2floor(H2); \
    H2 h2rint(H2); \
    float __low2float(H2); \
    float __high2float(H2); \
    KL_SHUFFLE(H) \
    KL_SHUFFLE(H2)

struct __half_raw { unsigned short x; };
struct __half2_raw { unsigned short x, y; };
struct __nv_bfloat16_raw { unsigned short x; };
struct __nv_bfloat162_raw { unsigned short x, y; };
typedef __half_raw __kl_raw___half;
typedef __nv_bfloat16_raw __kl_raw___nv_bfloat16;

KL_HALF(__half, __half2)
KL_HALF(__nv_bfloat16, __nv_bfloat162)
#undef KL_HALF
#undef KL_HALF_OPERATOR
#undef KL_HALF_COMPARISON
#undef KL_SHUFFLE
#undef KL_WARP

typedef __half half;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half nv_half;
typedef __half2 nv_half2;
typedef __half2 half2;
typedef __half_raw __nv_half_raw;
typedef __half2_raw __nv_half2_raw;
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

// Conversions of half.
float __half2float(__half);
__half __float2half(float);
__half __float2half_rn(float);
__half __float2half_rz(float);
__half __float2half_rd(float);
__half __float2half_ru(float);
__half __double2half(double);
__half2 __float2half2_rn(float);
__half2 __floats2half2_rn(float, float);
float2 __half22float2(__half2);
__half2 __float22half2_rn(float2);
__half __int2half_rn(int);
__half __int2half_rz(int);
__half __uint2half_rn(unsigned int);
__half __short2half_rn(short);
__half __ushort2half_rn(unsigned short);
__half __ll2half_rn(long long);
int __half2int_rn(__half);
int __half2int_rz(__half);
int __half2int_rd(__half);
int __half2int_ru(__half);
unsigned int __half2uint_rn(__half);
unsigned int __half2uint_rz(__half);
short __half2short_rn(__half);
short __half2short_rz(__half);
unsigned short __half2ushort_rn(__half);
unsigned short __half2ushort_rz(__half);
__half __ushort_as_half(unsigned short);
__half __short_as_half(short);
unsigned short __half_as_ushort(__half);
short __half_as_short(__half);
__half2 __half2half2(__half);
__half2 __halves2half2(__half, __half);
__half __low2half(__half2);
__half __high2half(__half2);
__half2 __low2half2(__half2);
__half2 __high2half2(__half2);
__half2 __lows2half2(__half2, __half2);
__half2 __highs2half2(__half2, __half2);
__half2 __lowhigh2highlow(__half2);
__half2 make_half2(__half, __half);
__half hadd(__half, __half);
__half __hfma_sat(__half, __half, __half);
__half2 __hcmadd(__half2, __half2, __half2);

// Conversions of bfloat16.
float __bfloat162float(__nv_bfloat16);
__nv_bfloat16 __float2bfloat16(float);
__nv_bfloat16 __float2bfloat16_rn(float);
__nv_bfloat16 __float2bfloat16_rz(float);
__nv_bfloat16 __float2bfloat16_rd(float);
__nv_bfloat16 __float2bfloat16_ru(float);
__nv_bfloat16 __double2bfloat16(double);
__nv_bfloat16 __int2bfloat16_rn(int);
__nv_bfloat16 __uint2bfloat16_rn(unsigned int);
int __bfloat162int_rn(__nv_bfloat16);
int __bfloat162int_rz(__nv_bfloat16);
unsigned int __bfloat162uint_rn(__nv_bfloat16);
__nv_bfloat162 __float2bfloat162_rn(float);
__nv_bfloat162 __floats2bfloat162_rn(float, float);
__nv_bfloat162 __float22bfloat162_rn(float2);
float2 __bfloat1622float2(__nv_bfloat162);
__nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16);
__nv_bfloat162 __halves2bfloat162(__nv_bfloat16, __nv_bfloat16);
__nv_bfloat16 __low2bfloat16(__nv_bfloat162);
__nv_bfloat16 __high2bfloat16(__nv_bfloat162);
__nv_bfloat162 __low2bfloat162(__nv_bfloat162);
__nv_bfloat162 __high2bfloat162(__nv_bfloat162);
__nv_bfloat162 __lows2bfloat162(__nv_bfloat162, __nv_bfloat162);
__nv_bfloat162 __highs2bfloat162(__nv_bfloat162, __nv_bfloat162);
__nv_bfloat162 __lowhigh2highlow(__nv_bfloat162);
__nv_bfloat162 make_bfloat162(__nv_bfloat16, __nv_bfloat16);
unsigned short __bfloat16_as_ushort(__nv_bfloat16);
short __bfloat16_as_short(__nv_bfloat16);
__nv_bfloat16 __ushort_as_bfloat16(unsigned short);
__nv_bfloat16 __short_as_bfloat16(short);

// 8-bit floating types.
typedef unsigned char __nv_fp8_storage_t;
typedef unsigned short __nv_fp8x2_storage_t;
typedef unsigned int __nv_fp8x4_storage_t;
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
#define KL_FP8(F) \
    struct F { \
        unsigned char __x; \
        F() = default; \
        explicit F(float); \
        explicit F(double); \
        explicit F(int); \
        explicit F(__half); \
        explicit F(__nv_bfloat16); \
        explicit operator float() const; \
        explicit operator __half() const; \
        explicit operator __nv_bfloat16() const; \
    };
KL_FP8(__nv_fp8_e4m3)
KL_FP8(__nv_fp8_e5m2)
KL_FP8(__nv_fp8_e8m0)
#undef KL_FP8
struct __nv_fp8x2_e4m3 {
    unsigned short __x;
    __nv_fp8x2_e4m3() = default;
    explicit __nv_fp8x2_e4m3(float2);
    explicit __nv_fp8x2_e4m3(__half2);
    explicit __nv_fp8x2_e4m3(__nv_bfloat162);
    explicit operator float2() const;
};
struct __nv_fp8x4_e4m3 {
    unsigned int __x;
    __nv_fp8x4_e4m3() = default;
    explicit __nv_fp8x4_e4m3(float4);
    __nv_fp8x4_e4m3(__half2, __half2);
    __nv_fp8x4_e4m3(__nv_bfloat162, __nv_bfloat162);
    explicit operator float4() const;
};
__nv_fp8_storage_t __nv_cvt_float_to_fp8(float, __nv_saturation_t, __nv_fp8_interpretation_t);
__nv_fp8_storage_t __nv_cvt_halfraw_to_fp8(__half_raw, __nv_saturation_t, __nv_fp8_interpretation_t);
__nv_fp8_storage_t __nv_cvt_bfloat16raw_to_fp8(__nv_bfloat16_raw, __nv_saturation_t, __nv_fp8_interpretation_t);
__nv_fp8x2_storage_t __nv_cvt_float2_to_fp8x2(float2, __nv_saturation_t, __nv_fp8_interpretation_t);
__half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t, __nv_fp8_interpretation_t);
__half2_raw __nv_cvt_fp8x2_to_halfraw2(__nv_fp8x2_storage_t, __nv_fp8_interpretation_t);
