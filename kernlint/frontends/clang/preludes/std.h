// The parts of the C++ standard library that device code uses. What may stand in a constant expression has a body.
#pragma once
#pragma clang system_header

namespace std {

using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::intmax_t;
using ::intptr_t;
using ::nullptr_t;
using ::ptrdiff_t;
using ::size_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
using ::uint8_t;
using ::uintmax_t;
using ::uintptr_t;
enum class byte : unsigned char {};

// <cmath>: the very same functions, so that `using namespace std` makes no call ambiguous
using ::sqrt; using ::sqrtf; using ::cbrt; using ::cbrtf; using ::exp; using ::expf; using ::exp2;
using ::exp2f; using ::expm1; using ::expm1f; using ::log; using ::logf; using ::log2; using ::log2f;
using ::log10; using ::log10f; using ::log1p; using ::log1pf; using ::logb; using ::logbf; using ::sin;
using ::sinf; using ::cos; using ::cosf; using ::tan; using ::tanf; using ::asin; using ::asinf; using ::acos;
using ::acosf; using ::atan; using ::atanf; using ::sinh; using ::sinhf; using ::cosh; using ::coshf;
using ::tanh; using ::tanhf; using ::asinh; using ::asinhf; using ::acosh; using ::acoshf; using ::atanh;
using ::atanhf; using ::erf; using ::erff; using ::erfc; using ::erfcf; using ::tgamma; using ::tgammaf;
using ::lgamma; using ::lgammaf; using ::ceil; using ::ceilf; using ::floor; using ::floorf; using ::trunc;
using ::truncf; using ::round; using ::roundf; using ::rint; using ::rintf; using ::nearbyint;
using ::nearbyintf; using ::fabs; using ::fabsf; using ::pow; using ::powf; using ::fmod; using ::fmodf;
using ::atan2; using ::atan2f; using ::hypot; using ::hypotf; using ::fmax; using ::fmaxf; using ::fmin;
using ::fminf; using ::fdim; using ::fdimf; using ::copysign; using ::copysignf; using ::nextafter;
using ::nextafterf; using ::remainder; using ::remainderf; using ::isnan; using ::isinf; using ::isfinite;
using ::signbit; using ::isnormal; using ::fma; using ::fmaf; using ::ldexp; using ::ldexpf; using ::frexp;
using ::frexpf; using ::modf; using ::modff; using ::scalbn; using ::scalbnf; using ::remquo; using ::ilogb;
using ::ilogbf; using ::lround; using ::lroundf; using ::lrint; using ::lrintf; using ::llround;
using ::llroundf; using ::llrint; using ::llrintf; using ::abs; using ::nanf; using ::nan;

// <initializer_list>
template <class E> class initializer_list {
    const E* __begin;
    size_t __size;

  public:
    typedef E value_type;
    typedef const E* iterator;
    constexpr initializer_list() : __begin(0), __size(0) {}
    constexpr const E* begin() const { return __begin; }
    constexpr const E* end() const { return __begin + __size; }
    constexpr size_t size() const { return __size; }
};

// <type_traits>
template <class T, T v> struct integral_constant {
    static constexpr T value = v;
    typedef T value_type;
    typedef integral_constant type;
    constexpr operator T() const { return v; }
    constexpr T operator()() const { return v; }
};
template <bool B> using bool_constant = integral_constant<bool, B>;
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;

#define KL_TRAIT(N, ...) \
    template <class T> struct N : bool_constant<__VA_ARGS__> {}; \
    template <class T> constexpr bool N##_v = __VA_ARGS__;
KL_TRAIT(is_void, __is_void(T))
KL_TRAIT(is_integral, __is_integral(T))
KL_TRAIT(is_floating_point, __is_floating_point(T))
KL_TRAIT(is_arithmetic, __is_arithmetic(T))
KL_TRAIT(is_fundamental, __is_fundamental(T))
KL_TRAIT(is_scalar, __is_scalar(T))
KL_TRAIT(is_signed, __is_signed(T))
KL_TRAIT(is_unsigned, __is_unsigned(T))
KL_TRAIT(is_pointer, __is_pointer(T))
KL_TRAIT(is_reference, __is_reference(T))
KL_TRAIT(is_lvalue_reference, __is_lvalue_reference(T))
KL_TRAIT(is_rvalue_reference, __is_rvalue_reference(T))
KL_TRAIT(is_array, __is_array(T))
KL_TRAIT(is_function, __is_function(T))
KL_TRAIT(is_class, __is_class(T))
KL_TRAIT(is_union, __is_union(T))
KL_TRAIT(is_enum, __is_enum(T))
KL_TRAIT(is_const, __is_const(T))
KL_TRAIT(is_volatile, __is_volatile(T))
KL_TRAIT(is_empty, __is_empty(T))
KL_TRAIT(is_pod, __is_pod(T))
KL_TRAIT(is_trivial, __is_trivial(T))
KL_TRAIT(is_trivially_copyable, __is_trivially_copyable(T))
KL_TRAIT(is_standard_layout, __is_standard_layout(T))
KL_TRAIT(is_default_constructible, __is_constructible(T))
#undef KL_TRAIT
#define KL_TRAIT2(N, F) \
    template <class A, class B> struct N : bool_constant<F(A, B)> {}; \
    template <class A, class B> constexpr bool N##_v = F(A, B);
KL_TRAIT2(is_same, __is_same)
KL_TRAIT2(is_convertible, __is_convertible_to)
KL_TRAIT2(is_base_of, __is_base_of)
KL_TRAIT2(is_assignable, __is_assignable)
#undef KL_TRAIT2
template <class T, class... A> struct is_constructible : bool_constant<__is_constructible(T, A...)> {};
template <class T, class... A> constexpr bool is_constructible_v = __is_constructible(T, A...);

template <bool B, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> { typedef T type; };
template <bool B, class T = void> using enable_if_t = typename enable_if<B, T>::type;
template <bool B, class T, class F> struct conditional { typedef T type; };
template <class T, class F> struct conditional<false, T, F> { typedef F type; };
template <bool B, class T, class F> using conditional_t = typename conditional<B, T, F>::type;
template <class...> using void_t = void;
template <class... T> struct conjunction : bool_constant<(T::value && ...)> {};
template <class... T> constexpr bool conjunction_v = (T::value && ...);
template <class... T> struct disjunction : bool_constant<(T::value || ...)> {};
template <class... T> constexpr bool disjunction_v = (T::value || ...);
template <class T> struct negation : bool_constant<!T::value> {};
template <class T> constexpr bool negation_v = !T::value;

#define KL_TRANSFORM(N) \
    template <class T> struct N { typedef __##N(T) type; }; \
    template <class T> using N##_t = __##N(T);
KL_TRANSFORM(decay)
KL_TRANSFORM(remove_cv)
KL_TRANSFORM(remove_cvref)
KL_TRANSFORM(remove_const)
KL_TRANSFORM(remove_volatile)
KL_TRANSFORM(remove_pointer)
KL_TRANSFORM(remove_extent)
KL_TRANSFORM(remove_all_extents)
KL_TRANSFORM(make_signed)
KL_TRANSFORM(make_unsigned)
KL_TRANSFORM(underlying_type)
KL_TRANSFORM(add_pointer)
KL_TRANSFORM(add_lvalue_reference)
KL_TRANSFORM(add_rvalue_reference)
#undef KL_TRANSFORM
template <class T> struct remove_reference { typedef T type; };
template <class T> struct remove_reference<T&> { typedef T type; };
template <class T> struct remove_reference<T&&> { typedef T type; };
template <class T> using remove_reference_t = typename remove_reference<T>::type;
template <class T> struct add_const { typedef const T type; };
template <class T> using add_const_t = const T;
template <class T> struct add_volatile { typedef volatile T type; };
template <class T> struct alignment_of : integral_constant<size_t, alignof(T)> {};
template <class T> struct rank : integral_constant<size_t, __array_rank(T)> {};
template <class T, unsigned int I = 0> struct extent : integral_constant<size_t, __array_extent(T, I)> {};
template <size_t N, size_t A = 16> struct aligned_storage {
    struct alignas(A) type { unsigned char __data[N]; };
};
template <size_t N, size_t A = 16> using aligned_storage_t = typename aligned_storage<N, A>::type;
template <class T> T&& declval();
template <class F, class... A> struct invoke_result { typedef decltype(declval<F>()(declval<A>()...)) type; };
template <class F, class... A> using invoke_result_t = typename invoke_result<F, A...>::type;
template <class> struct result_of;
template <class F, class... A> struct result_of<F(A...)> : invoke_result<F, A...> {};
template <class... T> struct common_type { typedef decltype((declval<T>() + ...)) type; };
template <class T> struct common_type<T> { typedef T type; };
template <class... T> using common_type_t = typename common_type<T...>::type;
template <class T> struct type_identity { typedef T type; };
template <class T> using type_identity_t = T;
constexpr bool is_constant_evaluated() { return __builtin_is_constant_evaluated(); }

// <utility>
template <class T> constexpr remove_reference_t<T>&& move(T&& v) { return static_cast<remove_reference_t<T>&&>(v); }
template <class T> constexpr T&& forward(remove_reference_t<T>& v) { return static_cast<T&&>(v); }
template <class T> constexpr T&& forward(remove_reference_t<T>&& v) { return static_cast<T&&>(v); }
template <class T> constexpr const T& as_const(T& v) { return v; }
template <class T> constexpr void swap(T& a, T& b) {
    T c = move(a);
    a = move(b);
    b = move(c);
}
template <class T, class U = T> T exchange(T&, U&&);
template <class T, T... I> struct integer_sequence {
    typedef T value_type;
    static constexpr size_t size() { return sizeof...(I); }
};
template <size_t... I> using index_sequence = integer_sequence<size_t, I...>;
template <class T, T N> using make_integer_sequence = __make_integer_seq<integer_sequence, T, N>;
template <size_t N> using make_index_sequence = make_integer_sequence<size_t, N>;
template <class... T> using index_sequence_for = make_index_sequence<sizeof...(T)>;
struct in_place_t {};
constexpr in_place_t in_place{};
struct piecewise_construct_t {};

// <algorithm> in constant expressions
template <class T> constexpr const T& min(const T& a, const T& b) { return b < a ? b : a; }
template <class T> constexpr const T& max(const T& a, const T& b) { return a < b ? b : a; }
template <class T, class C> constexpr const T& min(const T& a, const T& b, C less) { return less(b, a) ? b : a; }
template <class T, class C> constexpr const T& max(const T& a, const T& b, C less) { return less(a, b) ? b : a; }
template <class T> constexpr T min(initializer_list<T> list) {
    T found = *list.begin();
    for (const T& each : list) found = each < found ? each : found;
    return found;
}
template <class T> constexpr T max(initializer_list<T> list) {
    T found = *list.begin();
    for (const T& each : list) found = found < each ? each : found;
    return found;
}
template <class T> constexpr const T& clamp(const T& v, const T& lo, const T& hi) {
    return v < lo ? lo : hi < v ? hi : v;
}

// <limits>
template <class T> struct numeric_limits {
    static constexpr bool is_specialized = false;
    static constexpr bool is_integer = false;
    static constexpr bool is_signed = true;
    static T min();
    static T max();
    static T lowest();
    static T epsilon();
    static T infinity();
    static T quiet_NaN();
};
template <class T> struct numeric_limits<const T> : numeric_limits<T> {};
#define KL_LIMITS_INT(T, LO, HI) \
    template <> struct numeric_limits<T> { \
        static constexpr bool is_specialized = true; \
        static constexpr bool is_integer = true; \
        static constexpr bool is_exact = true; \
        static constexpr bool is_signed = (T)-1 < (T)0; \
        static constexpr bool has_infinity = false; \
        static constexpr bool has_quiet_NaN = false; \
        static constexpr int digits = sizeof(T) * 8 - is_signed; \
        static constexpr int digits10 = digits * 30103 / 100000; \
        static constexpr T min() { return LO; } \
        static constexpr T max() { return HI; } \
        static constexpr T lowest() { return LO; } \
        static constexpr T epsilon() { return 0; } \
        static constexpr T infinity() { return 0; } \
        static constexpr T quiet_NaN() { return 0; } \
    };
KL_LIMITS_INT(bool, false, true)
KL_LIMITS_INT(char, -128, 127)
KL_LIMITS_INT(signed char, -128, 127)
KL_LIMITS_INT(unsigned char, 0, 255)
KL_LIMITS_INT(short, -32768, 32767)
KL_LIMITS_INT(unsigned short, 0, 65535)
KL_LIMITS_INT(int, -2147483647 - 1, 2147483647)
KL_LIMITS_INT(unsigned int, 0, 4294967295u)
KL_LIMITS_INT(long, -9223372036854775807L - 1, 9223372036854775807L)
KL_LIMITS_INT(unsigned long, 0, 18446744073709551615UL)
KL_LIMITS_INT(long long, -9223372036854775807LL - 1, 9223372036854775807LL)
KL_LIMITS_INT(unsigned long long, 0, 18446744073709551615ULL)
#undef KL_LIMITS_INT
#define KL_LIMITS_FLOAT(T, P, DIGITS, DIGITS10, INF, NOT) \
    template <> struct numeric_limits<T> { \
        static constexpr bool is_specialized = true; \
        static constexpr bool is_integer = false; \
        static constexpr bool is_exact = false; \
        static constexpr bool is_signed = true; \
        static constexpr bool is_iec559 = true; \
        static constexpr bool has_infinity = true; \
        static constexpr bool has_quiet_NaN = true; \
        static constexpr int digits = DIGITS; \
        static constexpr int digits10 = DIGITS10; \
        static constexpr int max_digits10 = DIGITS10 + 3; \
        static constexpr T min() { return __##P##_MIN__; } \
        static constexpr T max() { return __##P##_MAX__; } \
        static constexpr T lowest() { return -__##P##_MAX__; } \
        static constexpr T epsilon() { return __##P##_EPSILON__; } \
        static constexpr T denorm_min() { return __##P##_DENORM_MIN__; } \
        static constexpr T infinity() { return INF; } \
        static constexpr T quiet_NaN() { return NOT; } \
        static constexpr T signaling_NaN() { return NOT; } \
    };
KL_LIMITS_FLOAT(float, FLT, 24, 6, __builtin_inff(), __builtin_nanf(""))
KL_LIMITS_FLOAT(double, DBL, 53, 15, __builtin_inf(), __builtin_nan(""))
#undef KL_LIMITS_FLOAT

// <array>
template <class T, size_t N> struct array {
    T __elements[N ? N : 1];
    typedef T value_type;
    typedef size_t size_type;
    typedef T* iterator;
    typedef const T* const_iterator;
    constexpr T& operator[](size_t i) { return __elements[i]; }
    constexpr const T& operator[](size_t i) const { return __elements[i]; }
    constexpr T& at(size_t i) { return __elements[i]; }
    constexpr const T& at(size_t i) const { return __elements[i]; }
    constexpr T& front() { return __elements[0]; }
    constexpr T& back() { return __elements[N - 1]; }
    constexpr const T& front() const { return __elements[0]; }
    constexpr const T& back() const { return __elements[N - 1]; }
    constexpr T* data() { return __elements; }
    constexpr const T* data() const { return __elements; }
    constexpr T* begin() { return __elements; }
    constexpr T* end() { return __elements + N; }
    constexpr const T* begin() const { return __elements; }
    constexpr const T* end() const { return __elements + N; }
    constexpr size_t size() const { return N; }
    constexpr bool empty() const { return N == 0; }
    void fill(const T&);
};
template <class T, class... U> array(T, U...) -> array<T, 1 + sizeof...(U)>;
template <class T, size_t N> bool operator==(const array<T, N>&, const array<T, N>&);
template <class T, size_t N> bool operator!=(const array<T, N>&, const array<T, N>&);

// <utility>: pairs
template <class A, class B> struct pair {
    typedef A first_type;
    typedef B second_type;
    A first;
    B second;
    constexpr pair() : first(), second() {}
    template <class X, class Y> constexpr pair(X&& x, Y&& y) : first(forward<X>(x)), second(forward<Y>(y)) {}
    template <class X, class Y> constexpr pair(const pair<X, Y>& p) : first(p.first), second(p.second) {}
    friend bool operator==(const pair&, const pair&);
    friend bool operator!=(const pair&, const pair&);
    friend bool operator<(const pair&, const pair&);
    friend bool operator>(const pair&, const pair&);
};
template <class A, class B> pair(A, B) -> pair<A, B>;
template <class A, class B> constexpr pair<decay_t<A>, decay_t<B>> make_pair(A&& a, B&& b) {
    return pair<decay_t<A>, decay_t<B>>(forward<A>(a), forward<B>(b));
}

// <tuple>
template <class... T> struct tuple {};
template <class H, class... T> struct tuple<H, T...> : tuple<T...> {
    H __head;
    constexpr tuple() : __head() {}
    constexpr tuple(const H& head, const T&... tail) : tuple<T...>(tail...), __head(head) {}
    template <class U, class... V> constexpr tuple(const tuple<U, V...>&);
    template <class A, class B> constexpr tuple(const pair<A, B>&);
    tuple(const tuple&) = default;
    tuple& operator=(const tuple&) = default;
    template <class U, class... V> constexpr tuple& operator=(const tuple<U, V...>&);
    template <class A, class B> constexpr tuple& operator=(const pair<A, B>&);
};
template <class... T> tuple(T...) -> tuple<T...>;
template <class T> struct tuple_size;
template <class T> struct tuple_size<const T> : tuple_size<T> {};
template <class... T> struct tuple_size<tuple<T...>> : integral_constant<size_t, sizeof...(T)> {};
template <class A, class B> struct tuple_size<pair<A, B>> : integral_constant<size_t, 2> {};
template <class T, size_t N> struct tuple_size<array<T, N>> : integral_constant<size_t, N> {};
template <class T> constexpr size_t tuple_size_v = tuple_size<T>::value;
template <size_t I, class T> struct tuple_element;
template <size_t I, class T> struct tuple_element<I, const T> {
    typedef const typename tuple_element<I, T>::type type;
};
template <size_t I, class H, class... T>
struct tuple_element<I, tuple<H, T...>> : tuple_element<I - 1, tuple<T...>> {};
template <class H, class... T> struct tuple_element<0, tuple<H, T...>> { typedef H type; };
template <class A, class B> struct tuple_element<0, pair<A, B>> { typedef A type; };
template <class A, class B> struct tuple_element<1, pair<A, B>> { typedef B type; };
template <size_t I, class T, size_t N> struct tuple_element<I, array<T, N>> { typedef T type; };
template <size_t I, class T> using tuple_element_t = typename tuple_element<I, T>::type;
template <size_t I, class H, class... T> constexpr auto& get(tuple<H, T...>& t) {
    if constexpr (I == 0) {
        return t.__head;
    } else {
        return get<I - 1>(static_cast<tuple<T...>&>(t));
    }
}
template <size_t I, class H, class... T> constexpr const auto& get(const tuple<H, T...>& t) {
    if constexpr (I == 0) {
        return t.__head;
    } else {
        return get<I - 1>(static_cast<const tuple<T...>&>(t));
    }
}
template <size_t I, class H, class... T> constexpr auto&& get(tuple<H, T...>&& t) {
    return static_cast<tuple_element_t<I, tuple<H, T...>>&&>(get<I>(t));
}
template <size_t I, class A, class B> constexpr auto& get(pair<A, B>& p) {
    if constexpr (I == 0) {
        return p.first;
    } else {
        return p.second;
    }
}
template <size_t I, class A, class B> constexpr const auto& get(const pair<A, B>& p) {
    return get<I>(const_cast<pair<A, B>&>(p));
}
template <size_t I, class A, class B> constexpr auto&& get(pair<A, B>&& p) {
    return static_cast<tuple_element_t<I, pair<A, B>>&&>(get<I>(p));
}
template <size_t I, class T, size_t N> constexpr T& get(array<T, N>& a) { return a[I]; }
template <size_t I, class T, size_t N> constexpr const T& get(const array<T, N>& a) { return a[I]; }
template <class... T> constexpr tuple<decay_t<T>...> make_tuple(T&&... v) { return tuple<decay_t<T>...>(v...); }
template <class... T> constexpr tuple<T&...> tie(T&... v) { return tuple<T&...>(v...); }
template <class... T> constexpr tuple<T&&...> forward_as_tuple(T&&...);
struct __kl_ignore { template <class T> constexpr const __kl_ignore& operator=(const T&) const { return *this; } };
constexpr __kl_ignore ignore{};
template <class F, class T> constexpr decltype(auto) apply(F&&, T&&);

// <functional>
#define KL_FUNCTOR(N, R, op) \
    template <class T = void> struct N { \
        constexpr R operator()(const T& a, const T& b) const { return a op b; } \
    }; \
    template <> struct N<void> { \
        template <class A, class B> constexpr auto operator()(const A& a, const B& b) const { return a op b; } \
    };
KL_FUNCTOR(plus, T, +)
KL_FUNCTOR(minus, T, -)
KL_FUNCTOR(multiplies, T, *)
KL_FUNCTOR(divides, T, /)
KL_FUNCTOR(modulus, T, %)
KL_FUNCTOR(bit_and, T, &)
KL_FUNCTOR(bit_or, T, |)
KL_FUNCTOR(bit_xor, T, ^)
KL_FUNCTOR(logical_and, bool, &&)
KL_FUNCTOR(logical_or, bool, ||)
KL_FUNCTOR(less, bool, <)
KL_FUNCTOR(less_equal, bool, <=)
KL_FUNCTOR(greater, bool, >)
KL_FUNCTOR(greater_equal, bool, >=)
KL_FUNCTOR(equal_to, bool, ==)
KL_FUNCTOR(not_equal_to, bool, !=)
#undef KL_FUNCTOR

// <bit>
template <class To, class From> constexpr To bit_cast(const From& v) { return __builtin_bit_cast(To, v); }
template <class T> constexpr int popcount(T);
template <class T> constexpr int countl_zero(T);
template <class T> constexpr int countr_zero(T);
template <class T> constexpr T bit_ceil(T);
template <class T> constexpr T to_integer(byte b) { return T(b); }

// <iterator>: what an iterator leads to.
struct input_iterator_tag {};
struct forward_iterator_tag : input_iterator_tag {};
struct bidirectional_iterator_tag : forward_iterator_tag {};
struct random_access_iterator_tag : bidirectional_iterator_tag {};
template <class I> struct iterator_traits {
    typedef typename I::value_type value_type;
    typedef typename I::reference reference;
    typedef typename I::pointer pointer;
    typedef typename I::difference_type difference_type;
    typedef typename I::iterator_category iterator_category;
};
template <class T> struct iterator_traits<T*> {
    typedef remove_cv_t<T> value_type;
    typedef T& reference;
    typedef T* pointer;
    typedef ptrdiff_t difference_type;
    typedef random_access_iterator_tag iterator_category;
};
template <class I> using iter_value_t = typename iterator_traits<I>::value_type;

}  // namespace std

inline void* operator new(size_t, void* p) noexcept { return p; }
inline void* operator new[](size_t, void* p) noexcept { return p; }
