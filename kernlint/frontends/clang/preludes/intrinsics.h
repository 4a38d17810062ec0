// Integer, bit and conversion intrinsics.
#pragma once
#pragma clang system_header

// Bits.
int __clz(int);
int __clzll(long long);
int __popc(unsigned int);
int __popcll(unsigned long long);
int __ffs(int);
int __ffsll(long long);
#ifdef __HIP__
int __ffsll(unsigned long long);
#endif
int __fns(unsigned int, unsigned int, int);
unsigned int __brev(unsigned int);
unsigned long long __brevll(unsigned long long);
unsigned int __byte_perm(unsigned int, unsigned int, unsigned int);
unsigned int __funnelshift_l(unsigned int, unsigned int, unsigned int);
unsigned int __funnelshift_lc(unsigned int, unsigned int, unsigned int);
unsigned int __funnelshift_r(unsigned int, unsigned int, unsigned int);
unsigned int __funnelshift_rc(unsigned int, unsigned int, unsigned int);
unsigned int __lane_id();
unsigned int __bitextract_u32(unsigned int, unsigned int, unsigned int);
unsigned int __lastbit_u32_u32(unsigned int);

// Arithmetic.
int __mul24(int, int);
unsigned int __umul24(unsigned int, unsigned int);
int __mulhi(int, int);
unsigned int __umulhi(unsigned int, unsigned int);
long long __mul64hi(long long, long long);
unsigned long long __umul64hi(unsigned long long, unsigned long long);
unsigned int __sad(int, int, unsigned int);
unsigned int __usad(unsigned int, unsigned int, unsigned int);
int __hadd(int, int);
int __rhadd(int, int);
unsigned int __uhadd(unsigned int, unsigned int);
unsigned int __urhadd(unsigned int, unsigned int);
int __dp4a(int, int, int);
unsigned int __dp4a(unsigned int, unsigned int, unsigned int);
int __dp2a_lo(int, int, int);
unsigned int __dp2a_lo(unsigned int, unsigned int, unsigned int);
int __dp2a_hi(int, int, int);
unsigned int __dp2a_hi(unsigned int, unsigned int, unsigned int);

// Arithmetic on the bytes or halves of a word.
#define KL_SIMD1(F) \
    unsigned int __v##F##2(unsigned int); \
    unsigned int __v##F##4(unsigned int);
#define KL_SIMD2(F) \
    unsigned int __v##F##2(unsigned int, unsigned int); \
    unsigned int __v##F##4(unsigned int, unsigned int);
KL_SIMD1(abs)
KL_SIMD1(absss)
KL_SIMD1(neg)
KL_SIMD1(negss)
KL_SIMD2(add)
KL_SIMD2(addss)
KL_SIMD2(addus)
KL_SIMD2(sub)
KL_SIMD2(subss)
KL_SIMD2(subus)
KL_SIMD2(avgs)
KL_SIMD2(avgu)
KL_SIMD2(haddu)
KL_SIMD2(absdiffs)
KL_SIMD2(absdiffu)
KL_SIMD2(sads)
KL_SIMD2(sadu)
KL_SIMD2(maxs)
KL_SIMD2(maxu)
KL_SIMD2(mins)
KL_SIMD2(minu)
KL_SIMD2(cmpeq)
KL_SIMD2(cmpne)
KL_SIMD2(cmpges)
KL_SIMD2(cmpgeu)
KL_SIMD2(cmpgts)
KL_SIMD2(cmpgtu)
KL_SIMD2(cmples)
KL_SIMD2(cmpleu)
KL_SIMD2(cmplts)
KL_SIMD2(cmpltu)
KL_SIMD2(seteq)
KL_SIMD2(setne)
KL_SIMD2(setgtu)
KL_SIMD2(setgts)
KL_SIMD2(setltu)
KL_SIMD2(setlts)
KL_SIMD2(setgeu)
KL_SIMD2(setleu)
#undef KL_SIMD1
#undef KL_SIMD2
unsigned int __vimax_s16x2_relu(unsigned int, unsigned int);
int __vimax3_s32(int, int, int);
int __vimin3_s32(int, int, int);

// The same bits as another type.
int __float_as_int(float);
unsigned int __float_as_uint(float);
float __int_as_float(int);
float __uint_as_float(unsigned int);
long long __double_as_longlong(double);
double __longlong_as_double(long long);
int __double2hiint(double);
int __double2loint(double);
double __hiloint2double(int, int);

// Conversions and arithmetic with a rounding mode.
#define KL_ROUNDED(S) \
    int __float2int_##S(float); \
    unsigned int __float2uint_##S(float); \
    long long __float2ll_##S(float); \
    unsigned long long __float2ull_##S(float); \
    float __int2float_##S(int); \
    float __uint2float_##S(unsigned int); \
    float __ll2float_##S(long long); \
    float __ull2float_##S(unsigned long long); \
    int __double2int_##S(double); \
    unsigned int __double2uint_##S(double); \
    long long __double2ll_##S(double); \
    unsigned long long __double2ull_##S(double); \
    float __double2float_##S(double); \
    double __int2double_##S(int); \
    double __uint2double_##S(unsigned int); \
    double __ll2double_##S(long long); \
    double __ull2double_##S(unsigned long long); \
    float __fadd_##S(float, float); \
    float __fsub_##S(float, float); \
    float __fmul_##S(float, float); \
    float __fdiv_##S(float, float); \
    float __fmaf_##S(float, float, float); \
    float __frcp_##S(float); \
    float __fsqrt_##S(float); \
    float __frsqrt_##S(float); \
    double __dadd_##S(double, double); \
    double __dsub_##S(double, double); \
    double __dmul_##S(double, double); \
    double __ddiv_##S(double, double); \
    double __fma_##S(double, double, double); \
    double __drcp_##S(double); \
    double __dsqrt_##S(double);
KL_ROUNDED(rn)
KL_ROUNDED(rz)
KL_ROUNDED(ru)
KL_ROUNDED(rd)
KL_ROUNDED(ieee_rn)
KL_ROUNDED(ieee_rz)
#undef KL_ROUNDED
