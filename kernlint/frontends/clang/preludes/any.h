// A type that takes part in any expression, for names of which nothing is known. Included only with made-up names.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

#define KL_ASSIGN(op) \
    template <class T> __kl_any& operator op(const T&); \
    template <class T> friend typename __kl_enable<__is_arithmetic(T), T&>::type operator op(T&, const __kl_any&);
#define KL_BINARY(R, op) \
    friend R operator op(const __kl_any&, const __kl_any&); \
    template <class T> friend __kl_with_other<T, R> operator op(const __kl_any&, const T&); \
    template <class T> friend __kl_with_other<T, R> operator op(const T&, const __kl_any&);
#define KL_CALL(F) template <class... A> friend __kl_value F(const __kl_any&, A&&...);
#define KL_SECOND(F) \
    KL_CALL(F) \
    template <class T, class... A> friend __kl_with_other<T, __kl_value> F(const T&, __kl_any&, A&&...); \
    template <class T, class... A> friend __kl_with_other<T, __kl_value> F(const T&, const __kl_any&, A&&...);
#define KL_ATOMIC(F) template <class T> friend __kl_value F(__kl_any*, const T&);
#define KL_SHUFFLE(F) template <class... A> friend __kl_value F(__kl_mask, const __kl_any&, A&&...);

struct __kl_any;
struct __kl_value;
template <class T, class R> using __kl_with_other = typename __kl_enable<!__is_base_of(__kl_any, T), R>::type;

struct __kl_any {
    __kl_any() = default;
    __kl_any(const __kl_any&) = default;
    template <class... A> __kl_any(A&&...);
    // To another made-up type its constructor leads: two ways would be ambiguous.
    template <class T, class = typename __kl_enable<!__is_base_of(__kl_any, T), T>::type> operator T&() const;
    template <class T> operator T*() const;
    explicit operator bool() const;
    __kl_any& operator=(const __kl_any&) = default;
    template <class T> __kl_any& operator=(const T&);
    template <class T> __kl_value& operator[](T) const;
    template <class... A> __kl_value operator()(A&&...) const;
    __kl_value& operator*() const;
    __kl_value* operator->() const;
    __kl_value operator-() const;
    __kl_value operator+() const;
    __kl_value operator~() const;
    bool operator!() const;
    __kl_any& operator++();
    __kl_value operator++(int);
    __kl_any& operator--();
    __kl_value operator--(int);
    __kl_any* begin() const;
    __kl_any* end() const;
    KL_ASSIGN(+=)
    KL_ASSIGN(-=)
    KL_ASSIGN(*=)
    KL_ASSIGN(/=)
    KL_ASSIGN(%=)
    KL_ASSIGN(&=)
    KL_ASSIGN(|=)
    KL_ASSIGN(^=)
    KL_ASSIGN(<<=)
    KL_ASSIGN(>>=)
    KL_BINARY(__kl_value, +)
    KL_BINARY(__kl_value, -)
    KL_BINARY(__kl_value, *)
    KL_BINARY(__kl_value, /)
    KL_BINARY(__kl_value, %)
    KL_BINARY(__kl_value, &)
    KL_BINARY(__kl_value, |)
    KL_BINARY(__kl_value, ^)
    KL_BINARY(__kl_value, <<)
    KL_BINARY(__kl_value, >>)
    KL_BINARY(bool, <)
    KL_BINARY(bool, >)
    KL_BINARY(bool, <=)
    KL_BINARY(bool, >=)
    KL_BINARY(bool, ==)
    KL_BINARY(bool, !=)

    // Functions with several overloads, which would otherwise all fit.
    KL_CALL(__shfl)
    KL_CALL(__shfl_up)
    KL_CALL(__shfl_down)
    KL_CALL(__shfl_xor)
    KL_SHUFFLE(__shfl_sync)
    KL_SHUFFLE(__shfl_up_sync)
    KL_SHUFFLE(__shfl_down_sync)
    KL_SHUFFLE(__shfl_xor_sync)
    KL_CALL(abs)
    KL_CALL(fabs)
    KL_CALL(sqrt)
    KL_CALL(rsqrt)
    KL_CALL(cbrt)
    KL_CALL(exp)
    KL_CALL(exp2)
    KL_CALL(exp10)
    KL_CALL(expm1)
    KL_CALL(log)
    KL_CALL(log2)
    KL_CALL(log10)
    KL_CALL(log1p)
    KL_CALL(sin)
    KL_CALL(cos)
    KL_CALL(tan)
    KL_CALL(asin)
    KL_CALL(acos)
    KL_CALL(atan)
    KL_CALL(sinh)
    KL_CALL(cosh)
    KL_CALL(tanh)
    KL_CALL(asinh)
    KL_CALL(acosh)
    KL_CALL(atanh)
    KL_CALL(erf)
    KL_CALL(erfc)
    KL_CALL(floor)
    KL_CALL(ceil)
    KL_CALL(round)
    KL_CALL(rint)
    KL_CALL(trunc)
    KL_CALL(isnan)
    KL_CALL(isinf)
    KL_CALL(isfinite)
    KL_CALL(signbit)
    KL_CALL(ldexp)
    KL_SECOND(pow)
    KL_SECOND(fmax)
    KL_SECOND(fmin)
    KL_SECOND(fmod)
    KL_SECOND(atan2)
    KL_SECOND(hypot)
    KL_SECOND(copysign)
    KL_SECOND(fdim)
    KL_SECOND(remainder)
    KL_SECOND(fma)

    KL_ATOMIC(atomicAdd)
    KL_ATOMIC(atomicSub)
    KL_ATOMIC(atomicExch)
    KL_ATOMIC(atomicMin)
    KL_ATOMIC(atomicMax)
    KL_ATOMIC(atomicAnd)
    KL_ATOMIC(atomicOr)
    KL_ATOMIC(atomicXor)

    static __attribute__((device)) __kl_any x, y, z, w;
#ifdef KL_ANY_MEMBERS
    KL_ANY_MEMBERS
#endif
};

// What an expression with such a type gives: it converts to everything, but nothing converts to it, so that
// `c ? unknown() : 0.0f` is a float.
struct __kl_value : __kl_any {
    using __kl_any::operator=;
};

namespace std {
#define KL_EXTREME(F) \
    __kl_value F(const __kl_any&, const __kl_any&); \
    template <class T> __kl_with_other<T, __kl_value> F(const __kl_any&, const T&); \
    template <class T> __kl_with_other<T, __kl_value> F(const T&, const __kl_any&);
KL_EXTREME(min)
KL_EXTREME(max)
#undef KL_EXTREME
}
#undef KL_ASSIGN
#undef KL_BINARY
#undef KL_CALL
#undef KL_SECOND
#undef KL_ATOMIC
#undef KL_SHUFFLE

#pragma clang force_cuda_host_device end
