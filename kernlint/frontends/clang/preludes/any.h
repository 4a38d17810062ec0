// A type that takes part in any expression, for names of which nothing is known. Included only with made-up names.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

#define KL_ASSIGN(op) \
    template <class T> __kl_any& operator op(const T&); \
    template <class T> friend typename __kl_enable<__is_arithmetic(T), T&>::type operator op(T&, const __kl_any&);
#define KL_BINARY(R, op) \
    friend R operator op(const __kl_any&, const __kl_any&); \
    template <class T> friend R operator op(const __kl_any&, const T&); \
    template <class T> friend R operator op(const T&, const __kl_any&);

struct __kl_any {
    __kl_any() = default;
    __kl_any(const __kl_any&) = default;
    template <class... A> __kl_any(A&&...);
    template <class T> operator T&() const;
    template <class T> operator T*() const;
    explicit operator bool() const;
    __kl_any& operator=(const __kl_any&) = default;
    template <class T> __kl_any& operator=(const T&);
    template <class T> __kl_any& operator[](T) const;
    template <class... A> __kl_any operator()(A&&...) const;
    __kl_any& operator*() const;
    __kl_any* operator->() const;
    __kl_any operator-() const;
    __kl_any operator+() const;
    __kl_any operator~() const;
    bool operator!() const;
    __kl_any& operator++();
    __kl_any operator++(int);
    __kl_any& operator--();
    __kl_any operator--(int);
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
    KL_BINARY(__kl_any, +)
    KL_BINARY(__kl_any, -)
    KL_BINARY(__kl_any, *)
    KL_BINARY(__kl_any, /)
    KL_BINARY(__kl_any, %)
    KL_BINARY(__kl_any, &)
    KL_BINARY(__kl_any, |)
    KL_BINARY(__kl_any, ^)
    KL_BINARY(__kl_any, <<)
    KL_BINARY(__kl_any, >>)
    KL_BINARY(bool, <)
    KL_BINARY(bool, >)
    KL_BINARY(bool, <=)
    KL_BINARY(bool, >=)
    KL_BINARY(bool, ==)
    KL_BINARY(bool, !=)
    static __kl_any x, y, z, w;
#ifdef KL_ANY_MEMBERS
    KL_ANY_MEMBERS
#endif
};
#undef KL_ASSIGN
#undef KL_BINARY

#pragma clang force_cuda_host_device end
