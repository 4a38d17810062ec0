// Mathematical functions: float and double overloads, and double for integers, as <cmath> has them.
#pragma once
#pragma clang system_header

template <class T> using __kl_real = typename __kl_enable<__is_integral(T), double>::type;
template <class T, class U>
using __kl_real2 = typename __kl_enable<__is_arithmetic(T) && __is_arithmetic(U) && !__is_same(T, U), double>::type;

#define KL_MATH1(F) \
    float F(float); \
    double F(double); \
    float F##f(float); \
    template <class T> __kl_real<T> F(T);
#define KL_MATH2(F) \
    float F(float, float); \
    double F(double, double); \
    float F##f(float, float); \
    template <class T> __kl_real<T> F(T, T); \
    template <class T, class U> __kl_real2<T, U> F(T, U);
#define KL_TEST(F) \
    bool F(float); \
    bool F(double); \
    template <class T> typename __kl_enable<__is_integral(T), bool>::type F(T);

KL_MATH1(sqrt) KL_MATH1(cbrt) KL_MATH1(exp) KL_MATH1(exp2) KL_MATH1(expm1) KL_MATH1(log) KL_MATH1(log2)
KL_MATH1(log10) KL_MATH1(log1p) KL_MATH1(logb) KL_MATH1(sin) KL_MATH1(cos) KL_MATH1(tan) KL_MATH1(asin)
KL_MATH1(acos) KL_MATH1(atan) KL_MATH1(sinh) KL_MATH1(cosh) KL_MATH1(tanh) KL_MATH1(asinh) KL_MATH1(acosh)
KL_MATH1(atanh) KL_MATH1(erf) KL_MATH1(erfc) KL_MATH1(tgamma) KL_MATH1(lgamma) KL_MATH1(ceil) KL_MATH1(floor)
KL_MATH1(trunc) KL_MATH1(round) KL_MATH1(rint) KL_MATH1(nearbyint) KL_MATH1(fabs)
KL_MATH2(pow) KL_MATH2(fmod) KL_MATH2(atan2) KL_MATH2(hypot) KL_MATH2(fmax) KL_MATH2(fmin) KL_MATH2(fdim)
KL_MATH2(copysign) KL_MATH2(nextafter) KL_MATH2(remainder)
KL_TEST(isnan) KL_TEST(isinf) KL_TEST(isfinite) KL_TEST(signbit) KL_TEST(isnormal)
float fma(float, float, float);
double fma(double, double, double);
float fmaf(float, float, float);
float ldexp(float, int);
double ldexp(double, int);
float ldexpf(float, int);
float frexp(float, int*);
double frexp(double, int*);
float frexpf(float, int*);
float modf(float, float*);
double modf(double, double*);
float modff(float, float*);
float scalbn(float, int);
double scalbn(double, int);
float scalbnf(float, int);
float remquo(float, float, int*);
double remquo(double, double, int*);
int ilogb(float);
int ilogb(double);
int ilogbf(float);
long lround(float);
long lround(double);
long lroundf(float);
long lrint(float);
long lrint(double);
long lrintf(float);
long long llround(float);
long long llround(double);
long long llroundf(float);
long long llrint(float);
long long llrint(double);
long long llrintf(float);
int abs(int);
long abs(long);
long long abs(long long);
float abs(float);
double abs(double);
float nanf(const char*);
double nan(const char*);

// Functions that only devices have.
KL_MATH1(rsqrt)
KL_MATH1(rcbrt)
KL_MATH1(exp10)
KL_MATH1(erfinv)
KL_MATH1(erfcinv)
KL_MATH1(erfcx)
KL_MATH1(normcdf)
KL_MATH1(normcdfinv)
KL_MATH1(sinpi)
KL_MATH1(cospi)
KL_MATH1(tanpi)
KL_MATH1(j0)
KL_MATH1(j1)
KL_MATH1(y0)
KL_MATH1(y1)
KL_MATH1(cyl_bessel_i0)
KL_MATH1(cyl_bessel_i1)
KL_MATH2(rhypot)
KL_MATH2(fdivide)
float norm3df(float, float, float);
double norm3d(double, double, double);
float rnorm3df(float, float, float);
double rnorm3d(double, double, double);
float norm4df(float, float, float, float);
double norm4d(double, double, double, double);
float rnorm4df(float, float, float, float);
float normf(int, const float*);
double norm(int, const double*);
void sincos(float, float*, float*);
void sincos(double, double*, double*);
void sincosf(float, float*, float*);
void sincospi(float, float*, float*);
void sincospi(double, double*, double*);
void sincospif(float, float*, float*);
float jnf(int, float);
double jn(int, double);
float ynf(int, float);
double yn(int, double);
float saturate(float);
long labs(long);
long long llabs(long long);

// Fast approximations.
float __saturatef(float);
float __fdividef(float, float);
float __expf(float);
float __exp10f(float);
float __exp2f(float);
float __logf(float);
float __log2f(float);
float __log10f(float);
float __sinf(float);
float __cosf(float);
float __tanf(float);
float __tanhf(float);
float __powf(float, float);
float __sqrtf(float);
float __rsqrtf(float);
float __frcp_approx(float);
void __sincosf(float, float*, float*);

// Minimum and maximum, in the type of the usual arithmetic conversions.
template <class T, class U> constexpr decltype(T() + U()) min(T a, U b) { return b < a ? b : a; }
template <class T, class U> constexpr decltype(T() + U()) max(T a, U b) { return a < b ? b : a; }
constexpr unsigned int umin(unsigned int a, unsigned int b) { return b < a ? b : a; }
constexpr unsigned int umax(unsigned int a, unsigned int b) { return a < b ? b : a; }
constexpr long long llmin(long long a, long long b) { return b < a ? b : a; }
constexpr long long llmax(long long a, long long b) { return a < b ? b : a; }
constexpr unsigned long long ullmin(unsigned long long a, unsigned long long b) { return b < a ? b : a; }
constexpr unsigned long long ullmax(unsigned long long a, unsigned long long b) { return a < b ? b : a; }
