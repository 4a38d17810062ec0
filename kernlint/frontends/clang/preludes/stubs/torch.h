// The part of PyTorch's C++ API that extensions with kernels use.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

namespace c10 {

[[noreturn]] void __kl_fail();

// Scalars. With an integer they keep their type, with a floating type they take its.
template <class H, class U> struct __kl_reduced { typedef H type; };
template <class H> struct __kl_reduced<H, float> { typedef float type; };
template <class H> struct __kl_reduced<H, double> { typedef double type; };
template <class H, class U>
using __kl_with = typename __kl_enable<__is_arithmetic(U), typename __kl_reduced<H, U>::type>::type;
#define KL_REDUCED_OPERATOR(H, op) \
    friend H operator op(const H&, const H&); \
    template <class U> friend __kl_with<H, U> operator op(const H&, U); \
    template <class U> friend __kl_with<H, U> operator op(U, const H&);
#define KL_REDUCED(H, H2) \
    struct alignas(2) H { \
        unsigned short x; \
        H() = default; \
        struct from_bits_t {}; \
        static constexpr from_bits_t from_bits() { return from_bits_t(); } \
        constexpr H(unsigned short, from_bits_t); \
        H(float); \
        H(const H2&); \
        operator float() const; \
        operator H2() const; \
        H& operator+=(const H&); \
        H& operator-=(const H&); \
        H& operator*=(const H&); \
        H& operator/=(const H&); \
        H operator-() const; \
        KL_REDUCED_OPERATOR(H, +) \
        KL_REDUCED_OPERATOR(H, -) \
        KL_REDUCED_OPERATOR(H, *) \
        KL_REDUCED_OPERATOR(H, /) \
    };
KL_REDUCED(Half, __half)
KL_REDUCED(BFloat16, __nv_bfloat16)
#undef KL_REDUCED
#undef KL_REDUCED_OPERATOR
#define KL_FLOAT8(F) \
    struct alignas(1) F { \
        unsigned char x; \
        F() = default; \
        struct from_bits_t {}; \
        static constexpr from_bits_t from_bits() { return from_bits_t(); } \
        constexpr F(unsigned char bits, from_bits_t) : x(bits) {} \
        F(float); \
        operator float() const; \
    };
KL_FLOAT8(Float8_e4m3fn)
KL_FLOAT8(Float8_e4m3fnuz)
KL_FLOAT8(Float8_e5m2)
KL_FLOAT8(Float8_e5m2fnuz)
KL_FLOAT8(Float8_e8m0fnu)
#undef KL_FLOAT8
template <class T> struct complex {
    typedef T value_type;
    T real_;
    T imag_;
    constexpr complex(T = T(), T = T());
    constexpr T real() const;
    constexpr T imag() const;
    complex& operator+=(const complex&);
    complex& operator*=(const complex&);
    friend complex operator+(const complex&, const complex&);
    friend complex operator-(const complex&, const complex&);
    friend complex operator*(const complex&, const complex&);
    friend complex operator/(const complex&, const complex&);
};
enum class ScalarType : signed char {
    Byte,
    Char,
    Short,
    Int,
    Long,
    Half,
    Float,
    Double,
    ComplexHalf,
    ComplexFloat,
    ComplexDouble,
    Bool,
    QInt8,
    QUInt8,
    QInt32,
    BFloat16,
    Float8_e5m2 = 23,
    Float8_e4m3fn,
    Float8_e5m2fnuz,
    Float8_e4m3fnuz,
    UInt16,
    UInt32,
    UInt64,
    Float8_e8m0fnu = 44,
    Float4_e2m1fn_x2,
    Undefined,
};
constexpr ScalarType kByte = ScalarType::Byte;
constexpr ScalarType kUInt8 = ScalarType::Byte;
constexpr ScalarType kChar = ScalarType::Char;
constexpr ScalarType kInt8 = ScalarType::Char;
constexpr ScalarType kShort = ScalarType::Short;
constexpr ScalarType kInt16 = ScalarType::Short;
constexpr ScalarType kInt = ScalarType::Int;
constexpr ScalarType kInt32 = ScalarType::Int;
constexpr ScalarType kLong = ScalarType::Long;
constexpr ScalarType kInt64 = ScalarType::Long;
constexpr ScalarType kHalf = ScalarType::Half;
constexpr ScalarType kFloat16 = ScalarType::Half;
constexpr ScalarType kFloat = ScalarType::Float;
constexpr ScalarType kFloat32 = ScalarType::Float;
constexpr ScalarType kDouble = ScalarType::Double;
constexpr ScalarType kFloat64 = ScalarType::Double;
constexpr ScalarType kBool = ScalarType::Bool;
constexpr ScalarType kBFloat16 = ScalarType::BFloat16;
constexpr ScalarType kUInt16 = ScalarType::UInt16;
constexpr ScalarType kUInt32 = ScalarType::UInt32;
constexpr ScalarType kUInt64 = ScalarType::UInt64;
constexpr ScalarType kFloat8_e4m3fn = ScalarType::Float8_e4m3fn;
constexpr ScalarType kFloat8_e4m3fnuz = ScalarType::Float8_e4m3fnuz;
constexpr ScalarType kFloat8_e5m2 = ScalarType::Float8_e5m2;
const char* toString(ScalarType);
size_t elementSize(ScalarType);
template <class T> struct CppTypeToScalarType { static constexpr ScalarType value = ScalarType::Float; };
struct Scalar {
    template <class T> Scalar(T);
    template <class T> T to() const;
    float toFloat() const;
    double toDouble() const;
    int toInt() const;
    long toLong() const;
    bool toBool() const;
};

// Devices, streams, guards.
enum class DeviceType : signed char { CPU, CUDA, HIP = 6, Meta = 9 };
constexpr DeviceType kCPU = DeviceType::CPU;
constexpr DeviceType kCUDA = DeviceType::CUDA;
typedef signed char DeviceIndex;
struct Device {
    Device(DeviceType, DeviceIndex = -1);
    Device(const char*);
    DeviceIndex index() const;
    DeviceType type() const;
    bool is_cuda() const;
    bool is_cpu() const;
    std::string str() const;
    bool operator==(const Device&) const;
    bool operator!=(const Device&) const;
};
#ifdef __HIP__
typedef hipStream_t __kl_stream;
typedef hipDeviceProp_t __kl_device_properties;
typedef hipError_t __kl_error;
#else
typedef cudaStream_t __kl_stream;
typedef cudaDeviceProp __kl_device_properties;
typedef cudaError_t __kl_error;
#endif
namespace cuda {
struct CUDAStream {
    operator __kl_stream() const;
    __kl_stream stream() const;
    DeviceIndex device_index() const;
    void synchronize() const;
};
CUDAStream getCurrentCUDAStream(DeviceIndex = -1);
CUDAStream getDefaultCUDAStream(DeviceIndex = -1);
CUDAStream getStreamFromPool(bool = false, DeviceIndex = -1);
void setCurrentCUDAStream(CUDAStream);
DeviceIndex current_device();
DeviceIndex device_count();
void device_synchronize();
void set_device(DeviceIndex, bool = false);
DeviceIndex ExchangeDevice(DeviceIndex);
DeviceIndex MaybeExchangeDevice(DeviceIndex);
__kl_error GetDevice(DeviceIndex*);
__kl_error SetDevice(DeviceIndex, bool = false);
__kl_error MaybeSetDevice(DeviceIndex);
struct CUDAGuard {
    explicit CUDAGuard(DeviceIndex);
    explicit CUDAGuard(Device);
    void set_index(DeviceIndex);
};
struct OptionalCUDAGuard {
    OptionalCUDAGuard();
    template <class T> explicit OptionalCUDAGuard(T);
};
struct CUDAStreamGuard { explicit CUDAStreamGuard(CUDAStream); };
}  // namespace cuda
namespace hip {
using namespace cuda;
typedef cuda::CUDAStream HIPStream;
typedef cuda::CUDAGuard HIPGuard;
typedef cuda::OptionalCUDAGuard OptionalHIPGuard;
typedef cuda::CUDAGuard HIPGuardMasqueradingAsCUDA;
typedef cuda::OptionalCUDAGuard OptionalHIPGuardMasqueradingAsCUDA;
HIPStream getCurrentHIPStream(DeviceIndex = -1);
HIPStream getCurrentHIPStreamMasqueradingAsCUDA(DeviceIndex = -1);
}  // namespace hip
struct DeviceGuard { explicit DeviceGuard(Device); };

// Lists and options.
template <class T> struct ArrayRef {
    ArrayRef();
    ArrayRef(const T&);
    ArrayRef(std::initializer_list<T>);
    ArrayRef(const std::vector<T>&);
    ArrayRef(const T*, size_t);
    size_t size() const;
    const T& operator[](size_t) const;
    const T* begin() const;
    const T* end() const;
    const T* data() const;
    std::vector<T> vec() const;
};
typedef ArrayRef<long> IntArrayRef;
template <class T> using optional = std::optional<T>;
using std::nullopt;
using std::nullopt_t;
enum class MemoryFormat : signed char { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };
enum class Layout : signed char { Strided, Sparse };
struct TensorOptions {
    TensorOptions();
    template <class T> TensorOptions(T);
    TensorOptions dtype(ScalarType) const;
    TensorOptions device(Device) const;
    TensorOptions device(DeviceType, DeviceIndex = -1) const;
    TensorOptions device(const char*) const;
    TensorOptions layout(Layout) const;
    TensorOptions requires_grad(bool = true) const;
    TensorOptions memory_format(MemoryFormat) const;
    TensorOptions pinned_memory(bool = true) const;
};
namespace impl {
template <ScalarType> struct ScalarTypeToCPPType { typedef float type; typedef float t; };
#define KL_SCALAR(E, T) \
    template <> struct ScalarTypeToCPPType<ScalarType::E> { \
        typedef T type; \
        typedef T t; \
    };
KL_SCALAR(Byte, unsigned char)
KL_SCALAR(Char, signed char)
KL_SCALAR(Short, short)
KL_SCALAR(Int, int)
KL_SCALAR(Long, long)
KL_SCALAR(Half, Half)
KL_SCALAR(Double, double)
KL_SCALAR(Bool, bool)
KL_SCALAR(BFloat16, BFloat16)
KL_SCALAR(Float8_e5m2, Float8_e5m2)
KL_SCALAR(Float8_e4m3fn, Float8_e4m3fn)
KL_SCALAR(Float8_e4m3fnuz, Float8_e4m3fnuz)
KL_SCALAR(UInt16, unsigned short)
KL_SCALAR(UInt32, unsigned int)
KL_SCALAR(UInt64, unsigned long)
#undef KL_SCALAR
}  // namespace impl
template <class T> constexpr bool isFloatingType(T);
template <class T> constexpr bool isIntegralType(T, bool = false);
}  // namespace c10

namespace caffe2 {
struct TypeMeta {
    operator c10::ScalarType() const;
    size_t itemsize() const;
    c10::ScalarType toScalarType() const;
    bool operator==(c10::ScalarType) const;
    bool operator!=(c10::ScalarType) const;
};
}  // namespace caffe2

namespace at {
using namespace c10;
using c10::BFloat16;
using c10::Half;
using c10::ScalarType;
typedef c10::MemoryFormat MemoryFormat;

// Accessors: a subscript gives an accessor with one dimension less, the last one the element.
template <class T> struct DefaultPtrTraits { typedef T* PtrType; };
template <class T> struct RestrictPtrTraits { typedef T* __restrict__ PtrType; };
template <class T, size_t N, template <class> class P = DefaultPtrTraits, class Index = long> struct TensorAccessor {
    TensorAccessor<T, N - 1, P, Index> operator[](Index) const;
    Index size(Index) const;
    Index stride(Index) const;
    IntArrayRef sizes() const;
    IntArrayRef strides() const;
    T* data() const;
};
template <class T, size_t N, template <class> class P = DefaultPtrTraits, class Index = long>
struct GenericPackedTensorAccessor {
    TensorAccessor<T, N - 1, P, Index> operator[](Index) const;
    Index size(Index) const;
    Index stride(Index) const;
    T* data() const;
};
// Up to five dimensions: sizes n0, n1... and strides s0, s1... in elements.
#define KL_ACCESSOR(NAME, N, FIELDS, NEXT, SIZE, STRIDE) \
    template <class T, template <class> class P, class Index> struct NAME<T, N, P, Index> { \
        T* data_; \
        Index FIELDS; \
        NEXT \
        KL_FOLLOW Index size(Index d) const { return SIZE; } \
        KL_FOLLOW Index stride(Index d) const { return STRIDE; } \
        KL_FOLLOW T* data() const { return data_; } \
    };
#define KL_ELEMENT KL_FOLLOW T& operator[](Index i) const { return data_[s0 * i]; }
#define KL_ROW(N, ...) \
    KL_FOLLOW TensorAccessor<T, N, P, Index> operator[](Index i) const { return {data_ + s0 * i, __VA_ARGS__}; }
#define KL_ACCESSORS(NAME) \
    KL_ACCESSOR(NAME, 1, n0 KL_COMMA s0, KL_ELEMENT, n0, s0) \
    KL_ACCESSOR(NAME, 2, n0 KL_COMMA n1 KL_COMMA s0 KL_COMMA s1, KL_ROW(1, n1, s1), d == 0 ? n0 : n1, d == 0 ? s0 : s1) \
    KL_ACCESSOR(NAME, 3, n0 KL_COMMA n1 KL_COMMA n2 KL_COMMA s0 KL_COMMA s1 KL_COMMA s2, KL_ROW(2, n1, n2, s1, s2), \
                d == 0 ? n0 : d == 1 ? n1 : n2, d == 0 ? s0 : d == 1 ? s1 : s2) \
    KL_ACCESSOR(NAME, 4, n0 KL_COMMA n1 KL_COMMA n2 KL_COMMA n3 KL_COMMA s0 KL_COMMA s1 KL_COMMA s2 KL_COMMA s3, \
                KL_ROW(3, n1, n2, n3, s1, s2, s3), d == 0 ? n0 : d == 1 ? n1 : d == 2 ? n2 : n3, \
                d == 0 ? s0 : d == 1 ? s1 : d == 2 ? s2 : s3) \
    KL_ACCESSOR(NAME, 5, \
                n0 KL_COMMA n1 KL_COMMA n2 KL_COMMA n3 KL_COMMA n4 KL_COMMA \
                s0 KL_COMMA s1 KL_COMMA s2 KL_COMMA s3 KL_COMMA s4, \
                KL_ROW(4, n1, n2, n3, n4, s1, s2, s3, s4), d == 0 ? n0 : d == 1 ? n1 : d == 2 ? n2 : d == 3 ? n3 : n4, \
                d == 0 ? s0 : d == 1 ? s1 : d == 2 ? s2 : d == 3 ? s3 : s4)
#define KL_COMMA ,
KL_ACCESSORS(TensorAccessor)
KL_ACCESSORS(GenericPackedTensorAccessor)
#undef KL_COMMA
#undef KL_ACCESSORS
#undef KL_ROW
#undef KL_ELEMENT
#undef KL_ACCESSOR
template <class T, size_t N, template <class> class P = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, P, int>;
template <class T, size_t N, template <class> class P = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, P, long>;
template <class T, size_t N, template <class> class P = DefaultPtrTraits, class Index = long>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, P, Index>;

// The type to accumulate in.
template <class T, bool Cuda> struct AccumulateType { typedef T type; };
template <bool Cuda> struct AccumulateType<Half, Cuda> { typedef float type; };
template <bool Cuda> struct AccumulateType<BFloat16, Cuda> { typedef float type; };
template <bool Cuda> struct AccumulateType<__half, Cuda> { typedef float type; };
template <bool Cuda> struct AccumulateType<int, Cuda> { typedef long type; };
template <bool Cuda> struct AccumulateType<unsigned char, Cuda> { typedef long type; };
template <class T, bool Cuda> using acc_type = typename AccumulateType<T, Cuda>::type;
template <class T> struct OpMathType { typedef T type; };
template <> struct OpMathType<Half> { typedef float type; };
template <> struct OpMathType<BFloat16> { typedef float type; };
template <class T> using opmath_type = typename OpMathType<T>::type;

struct Tensor {
    Tensor();
    Tensor(const Tensor&);
    Tensor& operator=(const Tensor&);
    template <class T> T* data_ptr() const;
    void* data_ptr() const;
    template <class T> const T* const_data_ptr() const;
    const void* const_data_ptr() const;
    template <class T> T* mutable_data_ptr() const;
    void* mutable_data_ptr() const;
    template <class T> T* data() const;
    Tensor data() const;
    template <class T> T item() const;
    Scalar item() const;
    long size(long) const;
    long stride(long) const;
    IntArrayRef sizes() const;
    IntArrayRef strides() const;
    long dim() const;
    long ndimension() const;
    long numel() const;
    long element_size() const;
    long itemsize() const;
    long nbytes() const;
    long storage_offset() const;
    ScalarType scalar_type() const;
    caffe2::TypeMeta dtype() const;
    TensorOptions options() const;
    c10::Device device() const;
    DeviceIndex get_device() const;
    DeviceIndex get_device_index() const;
    const Tensor& type() const;
    bool defined() const;
    bool is_cuda() const;
    bool is_cpu() const;
    bool is_contiguous(MemoryFormat = MemoryFormat::Contiguous) const;
    bool is_floating_point() const;
    bool requires_grad() const;
    bool is_same(const Tensor&) const;
    Tensor contiguous(MemoryFormat = MemoryFormat::Contiguous) const;
    Tensor operator[](long) const;
    Tensor operator-() const;
    template <class T> Tensor& operator+=(const T&);
    template <class T> Tensor& operator-=(const T&);
    template <class T> Tensor& operator*=(const T&);
    template <class T, size_t N> TensorAccessor<T, N> accessor() const;
    template <class T, size_t N, template <class> class P = DefaultPtrTraits>
    PackedTensorAccessor32<T, N, P> packed_accessor32() const;
    template <class T, size_t N, template <class> class P = DefaultPtrTraits>
    PackedTensorAccessor64<T, N, P> packed_accessor64() const;
    template <class T, size_t N, template <class> class P = DefaultPtrTraits, class Index = long>
    GenericPackedTensorAccessor<T, N, P, Index> packed_accessor() const;
    template <class T, size_t N, template <class> class P = DefaultPtrTraits, class Index = long>
    GenericPackedTensorAccessor<T, N, P, Index> generic_packed_accessor() const;
#define KL_TENSOR(F) template <class... A> Tensor F(A&&...) const;
    KL_TENSOR(to)
    KL_TENSOR(view)
    KL_TENSOR(view_as)
    KL_TENSOR(reshape)
    KL_TENSOR(flatten)
    KL_TENSOR(expand)
    KL_TENSOR(expand_as)
    KL_TENSOR(permute)
    KL_TENSOR(transpose)
    KL_TENSOR(t)
    KL_TENSOR(squeeze)
    KL_TENSOR(unsqueeze)
    KL_TENSOR(slice)
    KL_TENSOR(select)
    KL_TENSOR(narrow)
    KL_TENSOR(index)
    KL_TENSOR(index_select)
    KL_TENSOR(clone)
    KL_TENSOR(detach)
    KL_TENSOR(cpu)
    KL_TENSOR(cuda)
    KL_TENSOR(fill_)
    KL_TENSOR(zero_)
    KL_TENSOR(copy_)
    KL_TENSOR(resize_)
    KL_TENSOR(set_)
    KL_TENSOR(new_empty)
    KL_TENSOR(new_zeros)
    KL_TENSOR(new_full)
    KL_TENSOR(sum)
    KL_TENSOR(mean)
    KL_TENSOR(max)
    KL_TENSOR(min)
    KL_TENSOR(abs)
    KL_TENSOR(add)
    KL_TENSOR(add_)
    KL_TENSOR(sub)
    KL_TENSOR(mul)
    KL_TENSOR(mul_)
    KL_TENSOR(div)
    KL_TENSOR(div_)
    KL_TENSOR(matmul)
    KL_TENSOR(mm)
    KL_TENSOR(bmm)
    KL_TENSOR(cumsum)
    KL_TENSOR(sort)
    KL_TENSOR(argsort)
    KL_TENSOR(scatter_)
    KL_TENSOR(scatter_add_)
    KL_TENSOR(gather)
    KL_TENSOR(repeat)
    KL_TENSOR(toType)
    KL_TENSOR(masked_fill)
    KL_TENSOR(as_strided)
    KL_TENSOR(pin_memory)
#undef KL_TENSOR
    template <class... A> std::vector<Tensor> split(A&&...) const;
    template <class... A> std::vector<Tensor> chunk(A&&...) const;
    template <class... A> std::vector<Tensor> unbind(A&&...) const;
};
template <class T> Tensor operator+(const Tensor&, const T&);
template <class T> Tensor operator-(const Tensor&, const T&);
template <class T> Tensor operator*(const Tensor&, const T&);
template <class T> Tensor operator/(const Tensor&, const T&);
typedef ArrayRef<Tensor> TensorList;
struct TensorArg { TensorArg(const Tensor&, const char*, int); };
typedef const char* CheckedFrom;

#define KL_FACTORY(F) template <class... A> Tensor F(A&&...);
#define KL_FACTORY_SIZES(F) \
    KL_FACTORY(F) \
    Tensor F(std::initializer_list<long>); \
    Tensor F(std::initializer_list<long>, TensorOptions);
KL_FACTORY_SIZES(empty)
KL_FACTORY_SIZES(zeros)
KL_FACTORY_SIZES(ones)
KL_FACTORY_SIZES(rand)
KL_FACTORY_SIZES(randn)
Tensor full(std::initializer_list<long>, Scalar, TensorOptions = {});
KL_FACTORY(full)
KL_FACTORY(empty_like)
KL_FACTORY(zeros_like)
KL_FACTORY(ones_like)
KL_FACTORY(full_like)
KL_FACTORY(empty_strided)
KL_FACTORY(arange)
KL_FACTORY(tensor)
KL_FACTORY(from_blob)
KL_FACTORY(cat)
KL_FACTORY(stack)
KL_FACTORY(matmul)
KL_FACTORY(mm)
KL_FACTORY(bmm)
KL_FACTORY(sum)
KL_FACTORY(cumsum)
KL_FACTORY(where)
KL_FACTORY(max)
KL_FACTORY(sort)
#undef KL_FACTORY
#undef KL_FACTORY_SIZES

std::optional<c10::Device> device_of(const Tensor&);

namespace indexing {
struct Slice { template <class... A> Slice(A...); };
extern const Slice None;
}  // namespace indexing

// Streams and devices.
struct Generator {};
struct PhiloxCudaState {
    struct Payload {
        unsigned long val;
        long* ptr;
    };
    Payload seed_;
    Payload offset_;
    unsigned int offset_intragraph_;
    bool captured_;
};
namespace cuda {
using namespace c10::cuda;
typedef at::PhiloxCudaState PhiloxCudaState;
typedef c10::cuda::CUDAGuard CUDAGuard;
typedef c10::cuda::OptionalCUDAGuard OptionalCUDAGuard;
typedef c10::cuda::CUDAStream CUDAStream;
c10::__kl_device_properties* getCurrentDeviceProperties();
c10::__kl_device_properties* getDeviceProperties(long);
int warp_size();
template <class T> T ATenCeilDiv(T a, T b) { return (a + b - 1) / b; }
void* getCurrentCUDABlasHandle();

// ATen/cuda/detail/TensorInfo.cuh, IndexUtils.cuh: tensors of any number of dimensions as arguments of kernels.
namespace detail {
template <class T, class Index> struct TensorInfo {
    KL_FOLLOW bool isContiguous() const { return dims == 1 && strides[0] == 1; }
    TensorInfo();
    TensorInfo(T*, int, Index*, Index*);
    void reduceDim(int);
    int collapseDims(const int = -1);
    T* data;
    Index sizes[25];
    Index strides[25];
    int dims;
};
template <class T, class Index, int Dims> struct IndexToOffset {
    KL_FOLLOW static Index get(Index id, const TensorInfo<T, Index>& info) {
        Index offset = 0;
        for (int i = (Dims == -1 ? info.dims : Dims) - 1; i > 0; --i) {
            offset += id % info.sizes[i] * info.strides[i];
            id /= info.sizes[i];
        }
        return offset + id * info.strides[0];
    }
};
template <class T, class Index> TensorInfo<T, Index> getTensorInfo(const at::Tensor&);
bool canUse32BitIndexMath(const at::Tensor&, long = 2147483647);
bool maybeOverlappingIndices(const at::Tensor&);
}  // namespace detail
namespace philox {
std::tuple<unsigned long, unsigned long> unpack(PhiloxCudaState);
}
}  // namespace cuda
namespace hip {
using namespace c10::hip;
}
template <class T> constexpr T ceil_div(T a, T b) { return (a + b - 1) / b; }
template <class T> constexpr T ceilDiv(T a, T b) { return (a + b - 1) / b; }
struct AutoDispatchBelowADInplaceOrView {};
namespace native {
using namespace at;
template <class T, class I> void fastAtomicAdd(T*, I, const I, typename __kl_same<T>::type, bool);
}
bool checkSize(CheckedFrom, const TensorArg&, IntArrayRef);
template <class... A> void checkAllSameGPU(A&&...);
template <class T> T gpuAtomicAdd(T*, T);
template <class T> void gpuAtomicAddNoReturn(T*, T);
}  // namespace at
template <class T> T gpuAtomicAdd(T*, typename __kl_same<T>::type);
template <class T> void gpuAtomicAddNoReturn(T*, typename __kl_same<T>::type);
using at::native::fastAtomicAdd;
template <class T> T gpuAtomicMul(T*, typename __kl_same<T>::type);
template <class T> T gpuAtomicMin(T*, typename __kl_same<T>::type);
template <class T> T gpuAtomicMax(T*, typename __kl_same<T>::type);

namespace torch {
using namespace at;
typedef at::Tensor Tensor;
typedef c10::TensorOptions TensorOptions;
typedef c10::ScalarType Dtype;
namespace cuda {
using namespace at::cuda;
}
template <class... A> c10::TensorOptions dtype(A&&...);
template <class... A> c10::TensorOptions device(A&&...);
template <class... A> c10::TensorOptions requires_grad(A&&...);
struct CppFunction { template <class F> CppFunction(F); };
struct Library {
    template <class... A> Library& def(A&&...);
    template <class... A> Library& impl(A&&...);
    template <class... A> Library& class_(A&&...);
};
namespace autograd {
struct AutogradContext {
    template <class... A> void save_for_backward(A&&...);
    std::vector<Tensor> get_saved_variables();
};
typedef std::vector<Tensor> variable_list;
template <class T> struct Function {};
}  // namespace autograd
struct NoGradGuard {};
namespace stable {
typedef at::Tensor Tensor;
}
}  // namespace torch

namespace pybind11 {
struct module_ {
    template <class... A> module_& def(A&&...);
    template <class... A> module_& attr(A&&...);
    const char* doc() const;
};
struct arg { arg(const char*); template <class T> arg& operator=(T&&); };
struct object {};
struct gil_scoped_release {};
template <class T> struct call_guard {};
}  // namespace pybind11
namespace py = pybind11;

#include "torch_macros.h"

#pragma clang force_cuda_host_device end

namespace std {
#define KL_FLOAT8_LIMITS(F, LOWEST, MAX) \
    template <> struct numeric_limits<c10::F> { \
        static constexpr bool is_specialized = true; \
        static constexpr bool is_integer = false; \
        static constexpr bool is_signed = LOWEST != 0; \
        static constexpr c10::F max() { return c10::F(MAX, c10::F::from_bits()); } \
        static constexpr c10::F lowest() { return c10::F(LOWEST, c10::F::from_bits()); } \
    };
KL_FLOAT8_LIMITS(Float8_e4m3fn, 0xfe, 0x7e)
KL_FLOAT8_LIMITS(Float8_e4m3fnuz, 0xff, 0x7f)
KL_FLOAT8_LIMITS(Float8_e5m2, 0xfb, 0x7b)
KL_FLOAT8_LIMITS(Float8_e5m2fnuz, 0xff, 0x7f)
KL_FLOAT8_LIMITS(Float8_e8m0fnu, 0x00, 0xfe)
#undef KL_FLOAT8_LIMITS
}  // namespace std
