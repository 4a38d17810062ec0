// <complex>, apart from the other standard headers: programs with `using namespace std` and a `complex` of their own are
// common, and do not include it.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

#define __KL_STD_COMPLEX
namespace std {

template <class T> struct complex {
    typedef T value_type;
    T __re, __im;
    constexpr complex(T = T(), T = T());
    template <class U> constexpr complex(const complex<U>&);
    constexpr T real() const;
    constexpr T imag() const;
    void real(T);
    void imag(T);
    complex& operator+=(const complex&);
    complex& operator-=(const complex&);
    complex& operator*=(const complex&);
    complex& operator/=(const complex&);
    complex operator-() const;
    friend complex operator+(const complex&, const complex&);
    friend complex operator-(const complex&, const complex&);
    friend complex operator*(const complex&, const complex&);
    friend complex operator/(const complex&, const complex&);
    friend bool operator==(const complex&, const complex&);
    friend bool operator!=(const complex&, const complex&);
};
template <class T> T abs(const complex<T>&);
template <class T> T norm(const complex<T>&);
template <class T> complex<T> conj(const complex<T>&);

}  // namespace std

#pragma clang force_cuda_host_device end
