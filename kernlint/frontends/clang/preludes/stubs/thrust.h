// The part of Thrust that stands next to kernels.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

namespace thrust {

// Execution policies.
struct __kl_policy {
    template <class... A> const __kl_policy& on(A&&...) const;
    template <class... A> const __kl_policy& operator()(A&&...) const;
};
extern const __kl_policy host;
extern const __kl_policy device;
extern const __kl_policy seq;
namespace cuda {
extern const __kl_policy par;
extern const __kl_policy par_nosync;
}  // namespace cuda
namespace hip {
extern const __kl_policy par;
}
namespace cuda_cub {
extern const __kl_policy par;
}

// Pointers and containers.
template <class T> struct device_ptr {
    typedef T value_type;
    T* at;
    device_ptr();
    explicit device_ptr(T*);
    T* get() const;
    T& operator*() const;
    T& operator[](ptrdiff_t) const;
    device_ptr operator+(ptrdiff_t) const;
    device_ptr operator-(ptrdiff_t) const;
    ptrdiff_t operator-(const device_ptr&) const;
    device_ptr& operator++();
    bool operator==(const device_ptr&) const;
    bool operator!=(const device_ptr&) const;
};
template <class T> device_ptr<T> device_pointer_cast(T*);
template <class T> T* raw_pointer_cast(T*);
template <class T> T* raw_pointer_cast(const device_ptr<T>&);
template <class T> T& raw_reference_cast(T&);
template <class T> device_ptr<T> device_malloc(size_t);
template <class T> void device_free(T);

template <class T, class A = void> struct host_vector : std::vector<T> {
    using std::vector<T>::vector;
    host_vector();
    template <class V> host_vector(const V&);
    template <class V> host_vector& operator=(const V&);
};
template <class T, class A = void> struct device_vector {
    typedef T value_type;
    typedef device_ptr<T> iterator;
    typedef device_ptr<T> const_iterator;
    device_vector();
    explicit device_vector(size_t);
    device_vector(size_t, const T&);
    template <class I> device_vector(I, I);
    device_vector(const device_vector&);
    template <class V> device_vector(const V&);
    template <class V> device_vector& operator=(const V&);
    iterator begin() const;
    iterator end() const;
    device_ptr<T> data() const;
    size_t size() const;
    bool empty() const;
    T& operator[](size_t) const;
    T& back() const;
    T& front() const;
    void push_back(const T&);
    void resize(size_t);
    void resize(size_t, const T&);
    void reserve(size_t);
    void clear();
    void shrink_to_fit();
    void swap(device_vector&);
    template <class I> void assign(I, I);
    template <class... X> void insert(X&&...);
    template <class... X> void erase(X&&...);
};

// Tuples and pairs.
using std::get;
using std::make_pair;
using std::make_tuple;
using std::pair;
using std::tie;
using std::tuple;

// Iterators.
template <class T> struct counting_iterator {
    counting_iterator(T = T());
    T operator*() const;
    T operator[](ptrdiff_t) const;
    counting_iterator operator+(ptrdiff_t) const;
    counting_iterator& operator++();
};
template <class T> struct constant_iterator {
    constant_iterator(T = T());
    T operator*() const;
    T operator[](ptrdiff_t) const;
    constant_iterator operator+(ptrdiff_t) const;
};
template <class F, class I> struct transform_iterator {
    transform_iterator(I, F = F());
    auto operator*() const { return F()(*I()); }
    transform_iterator operator+(ptrdiff_t) const;
};
template <class T> struct zip_iterator {
    zip_iterator(T);
    zip_iterator operator+(ptrdiff_t) const;
};
template <class I, class J> struct permutation_iterator {
    permutation_iterator(I, J);
    permutation_iterator operator+(ptrdiff_t) const;
};
template <class I> struct reverse_iterator { explicit reverse_iterator(I); };
struct discard_iterator {};
template <class T> counting_iterator<T> make_counting_iterator(T);
template <class T> constant_iterator<T> make_constant_iterator(T);
template <class I, class F> transform_iterator<F, I> make_transform_iterator(I, F);
template <class... T> zip_iterator<tuple<T...>> make_zip_iterator(T...);
template <class T> zip_iterator<T> make_zip_iterator(T);
template <class I, class J> permutation_iterator<I, J> make_permutation_iterator(I, J);
discard_iterator make_discard_iterator();

// Functors.
template <class T = void> struct plus { T operator()(const T&, const T&) const; };
template <class T = void> struct minus { T operator()(const T&, const T&) const; };
template <class T = void> struct multiplies { T operator()(const T&, const T&) const; };
template <class T = void> struct divides { T operator()(const T&, const T&) const; };
template <class T = void> struct maximum { T operator()(const T&, const T&) const; };
template <class T = void> struct minimum { T operator()(const T&, const T&) const; };
template <class T = void> struct less { bool operator()(const T&, const T&) const; };
template <class T = void> struct greater { bool operator()(const T&, const T&) const; };
template <class T = void> struct equal_to { bool operator()(const T&, const T&) const; };
template <class T = void> struct not_equal_to { bool operator()(const T&, const T&) const; };
template <class T = void> struct logical_not { bool operator()(const T&) const; };
template <class T = void> struct identity { const T& operator()(const T&) const; };
template <class T = void> struct negate { T operator()(const T&) const; };
template <class T = void> struct square { T operator()(const T&) const; };
template <class A, class R> struct unary_function {
    typedef A argument_type;
    typedef R result_type;
};
template <class A, class B, class R> struct binary_function {
    typedef A first_argument_type;
    typedef B second_argument_type;
    typedef R result_type;
};
namespace placeholders {
struct __kl_placeholder {};
extern const __kl_placeholder _1;
extern const __kl_placeholder _2;
}  // namespace placeholders

// Complex numbers.
template <class T> struct __attribute__((aligned(2 * sizeof(T)))) complex {
    typedef T value_type;
    T __re, __im;
    constexpr complex(const T& = T(), const T& = T());
    template <class U> constexpr complex(const complex<U>&);
#ifdef __KL_STD_COMPLEX
    template <class U> constexpr complex(const std::complex<U>&);
#endif
    T real() const;
    T imag() const;
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
template <class T> T arg(const complex<T>&);
template <class T> T norm(const complex<T>&);
template <class T> complex<T> conj(const complex<T>&);
template <class T> complex<T> polar(const T&, const T&);
template <class T> complex<T> exp(const complex<T>&);
template <class T> complex<T> log(const complex<T>&);
template <class T> complex<T> sqrt(const complex<T>&);
template <class T> complex<T> sin(const complex<T>&);
template <class T> complex<T> cos(const complex<T>&);
template <class T, class U> complex<T> pow(const complex<T>&, const U&);

// Algorithms, with or without an execution policy in front.
#define KL_ALGORITHM(R, F) template <class... A> R F(A&&...);
KL_ALGORITHM(void, sort)
KL_ALGORITHM(void, stable_sort)
KL_ALGORITHM(void, sort_by_key)
KL_ALGORITHM(void, stable_sort_by_key)
KL_ALGORITHM(void, fill)
KL_ALGORITHM(void, fill_n)
KL_ALGORITHM(void, sequence)
KL_ALGORITHM(void, generate)
KL_ALGORITHM(void, for_each)
KL_ALGORITHM(void, for_each_n)
KL_ALGORITHM(void, copy)
KL_ALGORITHM(void, copy_n)
KL_ALGORITHM(void, copy_if)
KL_ALGORITHM(void, gather)
KL_ALGORITHM(void, scatter)
KL_ALGORITHM(void, transform)
KL_ALGORITHM(void, inclusive_scan)
KL_ALGORITHM(void, exclusive_scan)
KL_ALGORITHM(void, inclusive_scan_by_key)
KL_ALGORITHM(void, exclusive_scan_by_key)
KL_ALGORITHM(void, adjacent_difference)
KL_ALGORITHM(void, reverse)
KL_ALGORITHM(void, replace)
KL_ALGORITHM(void, replace_if)
KL_ALGORITHM(void, tabulate)
KL_ALGORITHM(double, transform_reduce)
KL_ALGORITHM(double, inner_product)
KL_ALGORITHM(long, count)
KL_ALGORITHM(long, count_if)
KL_ALGORITHM(long, distance)
KL_ALGORITHM(bool, all_of)
KL_ALGORITHM(bool, any_of)
KL_ALGORITHM(bool, equal)
#undef KL_ALGORITHM
template <class I, class... A> auto reduce(I i, I, A&&...) -> decltype(*i + 0);
template <class I, class... A> auto reduce(const __kl_policy&, I i, I, A&&...) -> decltype(*i + 0);
template <class I, class... A> pair<I, I> reduce_by_key(I, I, A&&...);
template <class I, class... A> pair<I, I> unique_by_key(I, I, A&&...);
template <class I, class... A> I unique(I, I, A&&...);
template <class I, class... A> I remove_if(I, I, A&&...);
template <class I, class... A> I partition(I, I, A&&...);
template <class I, class... A> I lower_bound(I, I, A&&...);
template <class I, class... A> I upper_bound(I, I, A&&...);
template <class I, class... A> I max_element(I, I, A&&...);
template <class I, class... A> I min_element(I, I, A&&...);
template <class T> void swap(T&, T&);

}  // namespace thrust

#pragma clang force_cuda_host_device end
