// PyCUDA's own headers, which it puts on the path of the programs that it compiles: pycuda-complex.hpp and
// pycuda-helpers.hpp.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

namespace pycuda {

template <class T> struct complex {
    typedef T value_type;
    T _M_re, _M_im;
    constexpr complex(T re = T(), T im = T()) : _M_re(re), _M_im(im) {}
    template <class U> constexpr complex(const complex<U>& z) : _M_re(z._M_re), _M_im(z._M_im) {}
    complex(const complex&) = default;
    complex(const volatile complex& z) : _M_re(z._M_re), _M_im(z._M_im) {}
    complex& operator=(const complex&) = default;
    volatile complex& operator=(const complex&) volatile;
    constexpr T real() const { return _M_re; }
    constexpr T imag() const { return _M_im; }
    complex& operator+=(const complex&);
    complex& operator-=(const complex&);
    complex& operator*=(const complex&);
    complex& operator/=(const complex&);
    complex operator+() const;
    complex operator-() const;
    friend complex operator+(const complex&, const complex&);
    friend complex operator-(const complex&, const complex&);
    friend complex operator*(const complex&, const complex&);
    friend complex operator/(const complex&, const complex&);
    friend bool operator==(const complex&, const complex&);
    friend bool operator!=(const complex&, const complex&);
};
template <class T> T real(const complex<T>&);
template <class T> T imag(const complex<T>&);
template <class T> T abs(const complex<T>&);
template <class T> T arg(const complex<T>&);
template <class T> T norm(const complex<T>&);
template <class T> complex<T> conj(const complex<T>&);
template <class T> complex<T> polar(const T&, const T& = 0);
template <class T> complex<T> pow(const complex<T>&, const complex<T>&);
template <class T> complex<T> pow(const complex<T>&, const T&);
template <class T> complex<T> pow(const T&, const complex<T>&);
template <class T> complex<T> pow(const complex<T>&, int);
// Of numbers: those of a template that is filled in are taken for plain ones where their type is not known.
template <class T> T real(T);
template <class T> T imag(T);
template <class T> T abs(T);
template <class T> T arg(T);
template <class T> T norm(T);
template <class T> T conj(T);
#define KL_OF_COMPLEX(F) template <class T> complex<T> F(const complex<T>&);
KL_OF_COMPLEX(sqrt)
KL_OF_COMPLEX(exp)
KL_OF_COMPLEX(log)
KL_OF_COMPLEX(log10)
KL_OF_COMPLEX(sin)
KL_OF_COMPLEX(cos)
KL_OF_COMPLEX(tan)
KL_OF_COMPLEX(sinh)
KL_OF_COMPLEX(cosh)
KL_OF_COMPLEX(tanh)
#undef KL_OF_COMPLEX

}  // namespace pycuda

// Textures and surfaces of double-precision and complex numbers are ones of integers.
typedef float fp_tex_float;
typedef int2 fp_tex_double;
typedef uint2 fp_tex_cfloat;
typedef int4 fp_tex_cdouble;

template <class T> struct __kl_fp_texel { typedef T type; };
template <> struct __kl_fp_texel<fp_tex_double> { typedef double type; };
template <> struct __kl_fp_texel<fp_tex_cfloat> { typedef pycuda::complex<float> type; };
template <> struct __kl_fp_texel<fp_tex_cdouble> { typedef pycuda::complex<double> type; };

template <class T, cudaTextureReadMode M>
typename __kl_fp_texel<T>::type fp_tex1Dfetch(texture<T, 1, M>, int);
template <class T, cudaTextureReadMode M>
typename __kl_fp_texel<T>::type fp_tex2D(texture<T, 2, M>, int, int);
template <class T, cudaTextureReadMode M>
typename __kl_fp_texel<T>::type fp_tex2DLayered(texture<T, cudaTextureType2DLayered, M>, float, float, int);
template <class T, cudaTextureReadMode M>
typename __kl_fp_texel<T>::type fp_tex3D(texture<T, 3, M>, int, int, int);
template <class T>
void fp_surf2DLayeredwrite(T, surface<void, cudaSurfaceType2DLayered>, int, int, int, cudaSurfaceBoundaryMode);
template <class T>
void fp_surf2DLayeredread(T*, surface<void, cudaSurfaceType2DLayered>, int, int, int, cudaSurfaceBoundaryMode);
template <class T> void fp_surf3Dwrite(T, surface<void, 3>, int, int, int, cudaSurfaceBoundaryMode);
template <class T> void fp_surf3Dread(T*, surface<void, 3>, int, int, int, cudaSurfaceBoundaryMode);

#pragma clang force_cuda_host_device end
