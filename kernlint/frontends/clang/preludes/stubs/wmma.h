// Warp-wide matrix operations.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

namespace nvcuda {
namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32 {};
}  // namespace precision
namespace experimental {
namespace precision {
struct u4 {};
struct s4 {};
struct b1 {};
}  // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
}  // namespace experimental

// The element a fragment holds for a declared type.
template <class T> struct __kl_element { typedef T type; };
template <> struct __kl_element<precision::tf32> { typedef float type; };
template <> struct __kl_element<experimental::precision::u4> { typedef unsigned int type; };
template <> struct __kl_element<experimental::precision::s4> { typedef int type; };
template <> struct __kl_element<experimental::precision::b1> { typedef unsigned int type; };

// Elements that a lane holds (CUDA's mma.h): its share of the tile, but each element of half precision for both of the
// groups of lanes that need it; those of less than a byte lie in one word.
template <class Use, int M, int N, int K> struct __kl_tile { static constexpr int size = M * N; };
template <int M, int N, int K> struct __kl_tile<matrix_a, M, N, K> { static constexpr int size = M * K; };
template <int M, int N, int K> struct __kl_tile<matrix_b, M, N, K> { static constexpr int size = K * N; };
template <class Use, class T, int Share> struct __kl_held { static constexpr int count = Share, stored = Share; };
#ifndef __HIP__
template <int Share> struct __kl_held<matrix_a, __half, Share> { static constexpr int count = 16, stored = 16; };
template <int Share> struct __kl_held<matrix_b, __half, Share> { static constexpr int count = 16, stored = 16; };
#endif
template <class Use, int Share> struct __kl_held<Use, experimental::precision::u4, Share> {
    static constexpr int count = Share, stored = 1;
};
template <class Use, int Share> struct __kl_held<Use, experimental::precision::s4, Share> {
    static constexpr int count = Share, stored = 1;
};
template <class Use, int Share> struct __kl_held<Use, experimental::precision::b1, Share> {
    static constexpr int count = Share, stored = 1;
};

template <class Use, int M, int N, int K, class T, class Layout = void> struct fragment {
    typedef typename __kl_element<T>::type element_type;
    typedef __kl_held<Use, T, (__kl_tile<Use, M, N, K>::size + 31) / 32> __kl_elements;
    static constexpr int num_elements = __kl_elements::count;
    element_type x[__kl_elements::stored];
};

template <class Use, int M, int N, int K, class T, class Layout, class P>
void load_matrix_sync(fragment<Use, M, N, K, T, Layout>&, const P*, unsigned int);
template <class Use, int M, int N, int K, class T, class Layout, class P>
void load_matrix_sync(fragment<Use, M, N, K, T, Layout>&, const P*, unsigned int, layout_t);
template <int M, int N, int K, class T, class P>
void store_matrix_sync(P*, const fragment<accumulator, M, N, K, T>&, unsigned int, layout_t);
template <class Use, int M, int N, int K, class T, class Layout, class V>
void fill_fragment(fragment<Use, M, N, K, T, Layout>&, const V&);
template <int M, int N, int K, class A, class B, class LA, class LB, class C, class D>
void mma_sync(fragment<accumulator, M, N, K, D>&, const fragment<matrix_a, M, N, K, A, LA>&,
              const fragment<matrix_b, M, N, K, B, LB>&, const fragment<accumulator, M, N, K, C>&, bool = false);
template <class D, class A, class B, class C, class... X> void bmma_sync(D&, const A&, const B&, const C&, X...);
float __float_to_tf32(float);

}  // namespace wmma
}  // namespace nvcuda
float __float_to_tf32(float);

#ifdef __HIP__
namespace rocwmma {
using namespace nvcuda::wmma;
}
#endif

#pragma clang force_cuda_host_device end
