// What C++20 has in <span> and <bit>, apart from the rest: older programs with `using namespace std` have such names of
// their own.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

namespace std {

// <bit>
template <class T> constexpr T bit_floor(T);
template <class T> constexpr int bit_width(T);
template <class T> constexpr bool has_single_bit(T x) { return x > 0 && (x & (x - 1)) == 0; }
template <class T> constexpr T rotl(T, int);
template <class T> constexpr T rotr(T, int);

// <span>
inline constexpr size_t dynamic_extent = size_t(-1);
template <class T, size_t N = dynamic_extent> struct span {
    T* __data;
    size_t __size;
    typedef T element_type;
    typedef remove_cv_t<T> value_type;
    typedef size_t size_type;
    typedef T* pointer;
    typedef T& reference;
    typedef T* iterator;
    constexpr span() : __data(nullptr), __size(0) {}
    constexpr span(T* data, size_t size) : __data(data), __size(size) {}
    constexpr span(T* first, T* last) : __data(first), __size(last - first) {}
    template <size_t M> constexpr span(T (&all)[M]) : __data(all), __size(M) {}
    template <class C, class = decltype(declval<C&>().data() + declval<C&>().size())>
    constexpr span(C&& from) : __data(from.data()), __size(from.size()) {}
    constexpr T& operator[](size_t i) const { return __data[i]; }
    constexpr T& front() const { return __data[0]; }
    constexpr T& back() const { return __data[__size - 1]; }
    constexpr T* data() const { return __data; }
    constexpr T* begin() const { return __data; }
    constexpr T* end() const { return __data + __size; }
    constexpr size_t size() const { return __size; }
    constexpr size_t size_bytes() const { return __size * sizeof(T); }
    constexpr bool empty() const { return __size == 0; }
    constexpr span<T> first(size_t n) const { return span<T>(__data, n); }
    constexpr span<T> last(size_t n) const { return span<T>(__data + (__size - n), n); }
    constexpr span<T> subspan(size_t from, size_t n) const { return span<T>(__data + from, n); }
    constexpr span<T> subspan(size_t from) const { return span<T>(__data + from, __size - from); }
};

}  // namespace std

#pragma clang force_cuda_host_device end
