// What kernels use of GLM (OpenGL Mathematics): vectors, matrices by columns, quaternions, and functions of them.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

namespace glm {
enum qualifier { packed_highp, packed_mediump, packed_lowp, highp = packed_highp, mediump, lowp, defaultp = highp };
typedef int length_t;

template <length_t L, class T, qualifier Q = defaultp> struct vec;

#define KL_COMPOUND(OP, ...) \
    template <class U> vec &operator OP(const vec<KL_LENGTH, U, Q> &b) { __VA_ARGS__; return *this; }
#define KL_COMMON(EACH, EACH_OF_ONE) \
    typedef T value_type; \
    typedef vec type; \
    static constexpr length_t length() { return KL_LENGTH; } \
    vec() = default; \
    KL_FOLLOW T &operator[](length_t i) { return (&x)[i]; } \
    KL_FOLLOW const T &operator[](length_t i) const { return (&x)[i]; } \
    EACH(+=) EACH(-=) EACH(*=) EACH(/=) EACH_OF_ONE(+=) EACH_OF_ONE(-=) EACH_OF_ONE(*=) EACH_OF_ONE(/=)
#define KL_EACH2(OP) template <class U> vec &operator OP(const vec<2, U, Q> &b) { x OP b.x; y OP b.y; return *this; }
#define KL_ONE2(OP) vec &operator OP(T b) { x OP b; y OP b; return *this; }
#define KL_EACH3(OP) \
    template <class U> vec &operator OP(const vec<3, U, Q> &b) { x OP b.x; y OP b.y; z OP b.z; return *this; }
#define KL_ONE3(OP) vec &operator OP(T b) { x OP b; y OP b; z OP b; return *this; }
#define KL_EACH4(OP) \
    template <class U> vec &operator OP(const vec<4, U, Q> &b) { x OP b.x; y OP b.y; z OP b.z; w OP b.w; return *this; }
#define KL_ONE4(OP) vec &operator OP(T b) { x OP b; y OP b; z OP b; w OP b; return *this; }

template <class T, qualifier Q> struct vec<2, T, Q> {
    union { T x, r, s; };
    union { T y, g, t; };
#define KL_LENGTH 2
    KL_COMMON(KL_EACH2, KL_ONE2)
#undef KL_LENGTH
    constexpr explicit vec(T a) : x(a), y(a) {}
    template <class A, class B> constexpr vec(A a, B b) : x(T(a)), y(T(b)) {}
    template <class U> constexpr vec(const vec<2, U, Q> &v) : x(T(v.x)), y(T(v.y)) {}
    template <class U> constexpr explicit vec(const vec<3, U, Q> &v) : x(T(v.x)), y(T(v.y)) {}
    template <class U> constexpr explicit vec(const vec<4, U, Q> &v) : x(T(v.x)), y(T(v.y)) {}
};
template <class T, qualifier Q> struct vec<3, T, Q> {
    union { T x, r, s; };
    union { T y, g, t; };
    union { T z, b, p; };
#define KL_LENGTH 3
    KL_COMMON(KL_EACH3, KL_ONE3)
#undef KL_LENGTH
    constexpr explicit vec(T a) : x(a), y(a), z(a) {}
    template <class A, class B, class C> constexpr vec(A a, B b, C c) : x(T(a)), y(T(b)), z(T(c)) {}
    template <class U, class C> constexpr vec(const vec<2, U, Q> &v, C c) : x(T(v.x)), y(T(v.y)), z(T(c)) {}
    template <class A, class U> constexpr vec(A a, const vec<2, U, Q> &v) : x(T(a)), y(T(v.x)), z(T(v.y)) {}
    template <class U> constexpr vec(const vec<3, U, Q> &v) : x(T(v.x)), y(T(v.y)), z(T(v.z)) {}
    template <class U> constexpr explicit vec(const vec<4, U, Q> &v) : x(T(v.x)), y(T(v.y)), z(T(v.z)) {}
};
template <class T, qualifier Q> struct vec<4, T, Q> {
    union { T x, r, s; };
    union { T y, g, t; };
    union { T z, b, p; };
    union { T w, a, q; };
#define KL_LENGTH 4
    KL_COMMON(KL_EACH4, KL_ONE4)
#undef KL_LENGTH
    constexpr explicit vec(T v) : x(v), y(v), z(v), w(v) {}
    template <class A, class B, class C, class D>
    constexpr vec(A i, B j, C k, D l) : x(T(i)), y(T(j)), z(T(k)), w(T(l)) {}
    template <class U, class D> constexpr vec(const vec<3, U, Q> &v, D l) : x(T(v.x)), y(T(v.y)), z(T(v.z)), w(T(l)) {}
    template <class A, class U> constexpr vec(A i, const vec<3, U, Q> &v) : x(T(i)), y(T(v.x)), z(T(v.y)), w(T(v.z)) {}
    template <class U> constexpr vec(const vec<4, U, Q> &v) : x(T(v.x)), y(T(v.y)), z(T(v.z)), w(T(v.w)) {}
};
#undef KL_COMPOUND
#undef KL_COMMON
#undef KL_EACH2
#undef KL_ONE2
#undef KL_EACH3
#undef KL_ONE3
#undef KL_EACH4
#undef KL_ONE4

template <class T> struct kl_same { typedef T type; };
#define KL_VALUE typename kl_same<T>::type
#define KL_ARITHMETIC(OP) \
    template <length_t L, class T, qualifier Q> \
    vec<L, T, Q> operator OP(vec<L, T, Q> a, const vec<L, T, Q> &b) { a OP##= b; return a; } \
    template <length_t L, class T, qualifier Q> \
    vec<L, T, Q> operator OP(vec<L, T, Q> a, KL_VALUE b) { a OP##= b; return a; } \
    template <length_t L, class T, qualifier Q> \
    vec<L, T, Q> operator OP(KL_VALUE a, const vec<L, T, Q> &b) { vec<L, T, Q> r(a); r OP##= b; return r; }
KL_ARITHMETIC(+)
KL_ARITHMETIC(-)
KL_ARITHMETIC(*)
KL_ARITHMETIC(/)
#undef KL_ARITHMETIC
#define KL_BITS(OP) \
    template <length_t L, class T, qualifier Q> vec<L, T, Q> operator OP(const vec<L, T, Q> &, const vec<L, T, Q> &); \
    template <length_t L, class T, qualifier Q> vec<L, T, Q> operator OP(const vec<L, T, Q> &, KL_VALUE);
KL_BITS(%)
KL_BITS(&)
KL_BITS(|)
KL_BITS(^)
KL_BITS(<<)
KL_BITS(>>)
#undef KL_BITS
template <length_t L, class T, qualifier Q>
vec<L, T, Q> operator-(const vec<L, T, Q> &v) { return vec<L, T, Q>(T(0)) - v; }
template <length_t L, class T, qualifier Q> vec<L, T, Q> operator+(const vec<L, T, Q> &v) { return v; }
template <length_t L, class T, qualifier Q> bool operator==(const vec<L, T, Q> &, const vec<L, T, Q> &);
template <length_t L, class T, qualifier Q> bool operator!=(const vec<L, T, Q> &, const vec<L, T, Q> &);

template <length_t C, length_t R, class T, qualifier Q = defaultp> struct mat {
    typedef vec<R, T, Q> col_type;
    typedef vec<C, T, Q> row_type;
    typedef T value_type;
    col_type value[C];
    mat() = default;
    explicit mat(T);
    template <class... A> mat(const T &, const T &, const A &...);
    template <class... A> mat(const col_type &, const A &...);
    template <length_t C2, length_t R2, class U> mat(const mat<C2, R2, U, Q> &);
    static constexpr length_t length() { return C; }
    KL_FOLLOW col_type &operator[](length_t i) { return value[i]; }
    KL_FOLLOW const col_type &operator[](length_t i) const { return value[i]; }
    mat &operator+=(const mat &);
    mat &operator-=(const mat &);
    mat &operator*=(const mat &);
    mat &operator*=(T);
    mat &operator/=(T);
};
template <length_t C, length_t R, class T, qualifier Q>
mat<C, R, T, Q> operator+(const mat<C, R, T, Q> &, const mat<C, R, T, Q> &);
template <length_t C, length_t R, class T, qualifier Q>
mat<C, R, T, Q> operator-(const mat<C, R, T, Q> &, const mat<C, R, T, Q> &);
template <length_t C, length_t R, class T, qualifier Q> mat<C, R, T, Q> operator-(const mat<C, R, T, Q> &);
template <length_t C, length_t R, class T, qualifier Q> mat<C, R, T, Q> operator*(const mat<C, R, T, Q> &, KL_VALUE);
template <length_t C, length_t R, class T, qualifier Q> mat<C, R, T, Q> operator*(KL_VALUE, const mat<C, R, T, Q> &);
template <length_t C, length_t R, class T, qualifier Q> mat<C, R, T, Q> operator/(const mat<C, R, T, Q> &, KL_VALUE);
template <length_t C, length_t R, length_t D, class T, qualifier Q>
mat<D, R, T, Q> operator*(const mat<C, R, T, Q> &, const mat<D, C, T, Q> &);
template <length_t C, length_t R, class T, qualifier Q>
vec<R, T, Q> operator*(const mat<C, R, T, Q> &, const vec<C, T, Q> &);
template <length_t C, length_t R, class T, qualifier Q>
vec<C, T, Q> operator*(const vec<R, T, Q> &, const mat<C, R, T, Q> &);
template <length_t C, length_t R, class T, qualifier Q> mat<R, C, T, Q> transpose(const mat<C, R, T, Q> &);
template <length_t C, class T, qualifier Q> mat<C, C, T, Q> inverse(const mat<C, C, T, Q> &);
template <length_t C, class T, qualifier Q> T determinant(const mat<C, C, T, Q> &);
template <length_t C, length_t R, class T, qualifier Q>
mat<C, R, T, Q> outerProduct(const vec<R, T, Q> &, const vec<C, T, Q> &);
template <length_t C, length_t R, class T, qualifier Q>
mat<C, R, T, Q> matrixCompMult(const mat<C, R, T, Q> &, const mat<C, R, T, Q> &);
template <length_t C, length_t R, class T, qualifier Q> vec<R, T, Q> column(const mat<C, R, T, Q> &, length_t);
template <length_t C, length_t R, class T, qualifier Q> vec<C, T, Q> row(const mat<C, R, T, Q> &, length_t);

template <class T, qualifier Q = defaultp> struct qua {
    T x, y, z, w;
    qua() = default;
    qua(T w_, T x_, T y_, T z_) : x(x_), y(y_), z(z_), w(w_) {}
    qua(T, const vec<3, T, Q> &);
    explicit qua(const vec<3, T, Q> &);
    explicit qua(const mat<3, 3, T, Q> &);
    KL_FOLLOW T &operator[](length_t i) { return (&x)[i]; }
    KL_FOLLOW const T &operator[](length_t i) const { return (&x)[i]; }
};
template <class T, qualifier Q> qua<T, Q> operator*(const qua<T, Q> &, const qua<T, Q> &);
template <class T, qualifier Q> vec<3, T, Q> operator*(const qua<T, Q> &, const vec<3, T, Q> &);
template <class T, qualifier Q> qua<T, Q> operator*(const qua<T, Q> &, KL_VALUE);
template <class T, qualifier Q> qua<T, Q> operator+(const qua<T, Q> &, const qua<T, Q> &);
template <class T, qualifier Q> qua<T, Q> operator-(const qua<T, Q> &, const qua<T, Q> &);
template <class T, qualifier Q> qua<T, Q> operator-(const qua<T, Q> &);
template <class T, qualifier Q> qua<T, Q> conjugate(const qua<T, Q> &);
template <class T, qualifier Q> qua<T, Q> inverse(const qua<T, Q> &);
template <class T, qualifier Q> qua<T, Q> normalize(const qua<T, Q> &);
template <class T, qualifier Q> qua<T, Q> slerp(const qua<T, Q> &, const qua<T, Q> &, KL_VALUE);
template <class T, qualifier Q> qua<T, Q> lerp(const qua<T, Q> &, const qua<T, Q> &, KL_VALUE);
template <class T, qualifier Q> qua<T, Q> quat_cast(const mat<3, 3, T, Q> &);
template <class T, qualifier Q> qua<T, Q> angleAxis(const T &, const vec<3, T, Q> &);
template <class T, qualifier Q> mat<3, 3, T, Q> mat3_cast(const qua<T, Q> &);
template <class T, qualifier Q> mat<4, 4, T, Q> mat4_cast(const qua<T, Q> &);
template <class T, qualifier Q> mat<3, 3, T, Q> toMat3(const qua<T, Q> &);
template <class T, qualifier Q> mat<4, 4, T, Q> toMat4(const qua<T, Q> &);
template <class T, qualifier Q> vec<3, T, Q> rotate(const qua<T, Q> &, const vec<3, T, Q> &);
template <class T, qualifier Q> vec<3, T, Q> eulerAngles(const qua<T, Q> &);
template <class T, qualifier Q> T dot(const qua<T, Q> &, const qua<T, Q> &);
template <class T, qualifier Q> T length(const qua<T, Q> &);

template <length_t L, class T, qualifier Q> T dot(const vec<L, T, Q> &, const vec<L, T, Q> &);
template <length_t L, class T, qualifier Q> T length(const vec<L, T, Q> &);
template <length_t L, class T, qualifier Q> T length2(const vec<L, T, Q> &);
template <length_t L, class T, qualifier Q> T distance(const vec<L, T, Q> &, const vec<L, T, Q> &);
template <length_t L, class T, qualifier Q> T distance2(const vec<L, T, Q> &, const vec<L, T, Q> &);
template <length_t L, class T, qualifier Q> T compMax(const vec<L, T, Q> &);
template <length_t L, class T, qualifier Q> T compMin(const vec<L, T, Q> &);
template <length_t L, class T, qualifier Q> T compAdd(const vec<L, T, Q> &);
template <length_t L, class T, qualifier Q> T compMul(const vec<L, T, Q> &);
template <class T, qualifier Q> vec<3, T, Q> cross(const vec<3, T, Q> &, const vec<3, T, Q> &);
template <length_t L, class T, qualifier Q> vec<L, T, Q> reflect(const vec<L, T, Q> &, const vec<L, T, Q> &);
template <length_t L, class T, qualifier Q> vec<L, T, Q> refract(const vec<L, T, Q> &, const vec<L, T, Q> &, KL_VALUE);
#define KL_UNARY(NAME) \
    template <length_t L, class T, qualifier Q> vec<L, T, Q> NAME(const vec<L, T, Q> &); \
    template <class T> T NAME(T);
KL_UNARY(abs) KL_UNARY(sign) KL_UNARY(floor) KL_UNARY(ceil) KL_UNARY(round) KL_UNARY(trunc) KL_UNARY(fract)
KL_UNARY(sqrt) KL_UNARY(inversesqrt) KL_UNARY(exp) KL_UNARY(exp2) KL_UNARY(log) KL_UNARY(log2) KL_UNARY(sin)
KL_UNARY(cos) KL_UNARY(tan) KL_UNARY(asin) KL_UNARY(acos) KL_UNARY(atan) KL_UNARY(sinh) KL_UNARY(cosh)
KL_UNARY(tanh) KL_UNARY(radians) KL_UNARY(degrees) KL_UNARY(roundEven)
#undef KL_UNARY
template <length_t L, class T, qualifier Q> vec<L, T, Q> normalize(const vec<L, T, Q> &);
#define KL_BINARY(NAME) \
    template <length_t L, class T, qualifier Q> vec<L, T, Q> NAME(const vec<L, T, Q> &, const vec<L, T, Q> &); \
    template <length_t L, class T, qualifier Q> vec<L, T, Q> NAME(const vec<L, T, Q> &, KL_VALUE); \
    template <class T> T NAME(T, KL_VALUE);
KL_BINARY(pow) KL_BINARY(mod) KL_BINARY(step) KL_BINARY(atan)
#undef KL_BINARY
#define KL_EXTREME(NAME, OP) \
    template <class T> T NAME(T a, KL_VALUE b) { return b OP a ? b : a; } \
    template <length_t L, class T, qualifier Q> vec<L, T, Q> NAME(const vec<L, T, Q> &, const vec<L, T, Q> &); \
    template <length_t L, class T, qualifier Q> vec<L, T, Q> NAME(const vec<L, T, Q> &, KL_VALUE);
KL_EXTREME(min, <)
KL_EXTREME(max, >)
#undef KL_EXTREME
template <class T> T clamp(T v, KL_VALUE low, KL_VALUE high) { return v < low ? low : v > high ? high : v; }
template <length_t L, class T, qualifier Q> vec<L, T, Q> clamp(const vec<L, T, Q> &, KL_VALUE, KL_VALUE);
template <length_t L, class T, qualifier Q>
vec<L, T, Q> clamp(const vec<L, T, Q> &, const vec<L, T, Q> &, const vec<L, T, Q> &);
template <class T> T mix(T a, KL_VALUE b, KL_VALUE t) { return a * (T(1) - t) + b * t; }
template <length_t L, class T, qualifier Q> vec<L, T, Q> mix(const vec<L, T, Q> &, const vec<L, T, Q> &, KL_VALUE);
template <length_t L, class T, qualifier Q>
vec<L, T, Q> mix(const vec<L, T, Q> &, const vec<L, T, Q> &, const vec<L, T, Q> &);
template <class T> T smoothstep(KL_VALUE, KL_VALUE, T);
template <length_t L, class T, qualifier Q> vec<L, T, Q> smoothstep(KL_VALUE, KL_VALUE, const vec<L, T, Q> &);
#define KL_RELATION(NAME) \
    template <length_t L, class T, qualifier Q> vec<L, bool, Q> NAME(const vec<L, T, Q> &, const vec<L, T, Q> &);
KL_RELATION(lessThan) KL_RELATION(lessThanEqual) KL_RELATION(greaterThan) KL_RELATION(greaterThanEqual)
KL_RELATION(equal) KL_RELATION(notEqual)
#undef KL_RELATION
template <length_t L, qualifier Q> bool any(const vec<L, bool, Q> &);
template <length_t L, qualifier Q> bool all(const vec<L, bool, Q> &);
template <length_t L, qualifier Q> vec<L, bool, Q> not_(const vec<L, bool, Q> &);
template <length_t L, class T, qualifier Q> vec<L, bool, Q> isnan(const vec<L, T, Q> &);
template <length_t L, class T, qualifier Q> vec<L, bool, Q> isinf(const vec<L, T, Q> &);
template <class T> constexpr T epsilon();
template <class T> constexpr T pi();
template <class T> constexpr T two_pi();
template <class T> constexpr T half_pi();

template <length_t L, class T, qualifier Q> T *value_ptr(vec<L, T, Q> &);
template <length_t L, class T, qualifier Q> const T *value_ptr(const vec<L, T, Q> &);
template <length_t C, length_t R, class T, qualifier Q> T *value_ptr(mat<C, R, T, Q> &);
template <length_t C, length_t R, class T, qualifier Q> const T *value_ptr(const mat<C, R, T, Q> &);
template <class T> vec<2, T> make_vec2(const T *p) { return vec<2, T>(p[0], p[1]); }
template <class T> vec<3, T> make_vec3(const T *p) { return vec<3, T>(p[0], p[1], p[2]); }
template <class T> vec<4, T> make_vec4(const T *p) { return vec<4, T>(p[0], p[1], p[2], p[3]); }
template <class T> mat<2, 2, T> make_mat2(const T *p) { return mat<2, 2, T>(p[0], p[1], p[2], p[3]); }
template <class T> mat<3, 3, T> make_mat3(const T *p) {
    return mat<3, 3, T>(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8]);
}
template <class T> mat<4, 4, T> make_mat4(const T *p) {
    return mat<4, 4, T>(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7], p[8], p[9], p[10], p[11], p[12], p[13], p[14],
                        p[15]);
}
template <class T> qua<T> make_quat(const T *p) { return qua<T>(p[3], p[0], p[1], p[2]); }
#undef KL_VALUE

#define KL_NAMES(PREFIX, T) \
    typedef vec<2, T> PREFIX##vec2; \
    typedef vec<3, T> PREFIX##vec3; \
    typedef vec<4, T> PREFIX##vec4;
KL_NAMES(, float) KL_NAMES(f, float) KL_NAMES(d, double) KL_NAMES(i, int) KL_NAMES(u, unsigned) KL_NAMES(b, bool)
KL_NAMES(u8, unsigned char) KL_NAMES(i8, signed char) KL_NAMES(u16, unsigned short) KL_NAMES(i16, short)
KL_NAMES(u32, unsigned) KL_NAMES(i32, int) KL_NAMES(u64, unsigned long) KL_NAMES(i64, long)
#undef KL_NAMES
#define KL_NAMES(PREFIX, T) \
    typedef mat<2, 2, T> PREFIX##mat2; \
    typedef mat<3, 3, T> PREFIX##mat3; \
    typedef mat<4, 4, T> PREFIX##mat4; \
    typedef mat<2, 2, T> PREFIX##mat2x2; \
    typedef mat<2, 3, T> PREFIX##mat2x3; \
    typedef mat<2, 4, T> PREFIX##mat2x4; \
    typedef mat<3, 2, T> PREFIX##mat3x2; \
    typedef mat<3, 3, T> PREFIX##mat3x3; \
    typedef mat<3, 4, T> PREFIX##mat3x4; \
    typedef mat<4, 2, T> PREFIX##mat4x2; \
    typedef mat<4, 3, T> PREFIX##mat4x3; \
    typedef mat<4, 4, T> PREFIX##mat4x4; \
    typedef qua<T> PREFIX##quat;
KL_NAMES(, float) KL_NAMES(f, float) KL_NAMES(d, double)
#undef KL_NAMES
}  // namespace glm

#pragma clang force_cuda_host_device end
