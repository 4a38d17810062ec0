// What kernels use of OpenCV's core: images on the device, by rows of a pitch in bytes, and small helpers.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

typedef unsigned char uchar;
typedef signed char schar;
typedef unsigned short ushort;
typedef unsigned int uint;

#define CV_PI 3.1415926535897932384626433832795
#define CV_PI_F 3.1415926535f
#define CV_EXPORTS
#define CV_UNUSED(name) (void)name
#define CV_Assert(expr) do { if (!(expr)) abort(); } while (0)
#define CV_DbgAssert(expr)

namespace cv {
template <class T> T saturate_cast(uchar);
template <class T> T saturate_cast(schar);
template <class T> T saturate_cast(ushort);
template <class T> T saturate_cast(short);
template <class T> T saturate_cast(uint);
template <class T> T saturate_cast(int);
template <class T> T saturate_cast(float);
template <class T> T saturate_cast(double);

namespace cuda {
// In OpenCV each derives from the one before; here each has the members itself.
#define KL_POINTER(T) \
    typedef T elem_type; \
    typedef int index_type; \
    enum { elem_size = sizeof(T) }; \
    T* data; \
    KL_FOLLOW size_t elemSize() const { return sizeof(T); } \
    KL_FOLLOW operator T*() const { return data; }
#define KL_ROWS(T) \
    size_t step; \
    KL_FOLLOW T* ptr(int y = 0) const { return (T*)((char*)data + y * step); } \
    KL_FOLLOW T& operator()(int y, int x) const { return ((T*)((char*)data + y * step))[x]; }
template <class T> struct DevPtr {
    KL_POINTER(T)
};
template <class T> struct PtrSz {
    KL_POINTER(T)
    size_t size;
};
template <class T> struct PtrStep {
    KL_POINTER(T)
    KL_ROWS(T)
};
template <class T> struct PtrStepSz {
    KL_POINTER(T)
    KL_ROWS(T)
    int cols;
    int rows;
    KL_FOLLOW operator PtrStep<T>() const { return {data, step}; }
};
#undef KL_POINTER
#undef KL_ROWS
typedef PtrStepSz<unsigned char> PtrStepSzb;
typedef PtrStepSz<unsigned short> PtrStepSzus;
typedef PtrStepSz<float> PtrStepSzf;
typedef PtrStepSz<int> PtrStepSzi;
typedef PtrStep<unsigned char> PtrStepb;
typedef PtrStep<unsigned short> PtrStepus;
typedef PtrStep<float> PtrStepf;
typedef PtrStep<int> PtrStepi;

struct Stream;
struct GpuMat {
    int flags, rows, cols;
    size_t step;
    uchar* data;
    bool empty() const;
    template <class T> T* ptr(int y = 0);
    template <class T> const T* ptr(int y = 0) const;
    template <class T> operator PtrStepSz<T>() const;
    template <class T> operator PtrStep<T>() const;
    int type() const;
    int depth() const;
    int channels() const;
};

namespace device {
KL_FOLLOW static inline int divUp(int total, int grain) { return (total + grain - 1) / grain; }
using cv::saturate_cast;
template <class T> struct numeric_limits : ::std::numeric_limits<T> {
    static T epsilon();
    static constexpr bool is_signed = ::std::numeric_limits<T>::is_signed;
};
template <class T> struct plus { T operator()(T, T) const; };
template <class T> struct minus { T operator()(T, T) const; };
template <class T> struct multiplies { T operator()(T, T) const; };
template <class T> struct less { bool operator()(T, T) const; };
template <class T> struct greater { bool operator()(T, T) const; };
template <class T> struct less_equal { bool operator()(T, T) const; };
template <class T> struct greater_equal { bool operator()(T, T) const; };
template <class T> struct equal_to { bool operator()(T, T) const; };
template <class T> struct minimum { T operator()(T, T) const; };
template <class T> struct maximum { T operator()(T, T) const; };
template <class T> struct identity { T operator()(T) const; };
template <class A, class R> struct unary_function {
    typedef A argument_type;
    typedef R result_type;
};
template <class A, class B, class R> struct binary_function {
    typedef A first_argument_type;
    typedef B second_argument_type;
    typedef R result_type;
};
}  // namespace device
}  // namespace cuda
}  // namespace cv

void cudaSafeCall(int);
#define cudaSafeCall(expr) (void)(expr)

#pragma clang force_cuda_host_device end
