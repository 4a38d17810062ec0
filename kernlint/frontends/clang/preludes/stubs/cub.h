// Block-wide, warp-wide and device-wide primitives of CUB (hipCUB has the same in its own namespace).
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

namespace cub {

// Algorithms.
enum BlockReduceAlgorithm {
    BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
    BLOCK_REDUCE_RAKING,
    BLOCK_REDUCE_WARP_REDUCTIONS,
};
enum BlockScanAlgorithm {
    BLOCK_SCAN_RAKING,
    BLOCK_SCAN_RAKING_MEMOIZE,
    BLOCK_SCAN_WARP_SCANS,
};
enum BlockLoadAlgorithm {
    BLOCK_LOAD_DIRECT,
    BLOCK_LOAD_STRIPED,
    BLOCK_LOAD_VECTORIZE,
    BLOCK_LOAD_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE,
    BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED,
};
enum BlockStoreAlgorithm {
    BLOCK_STORE_DIRECT,
    BLOCK_STORE_STRIPED,
    BLOCK_STORE_VECTORIZE,
    BLOCK_STORE_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE,
    BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED,
};
enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };
enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
enum WarpLoadAlgorithm { WARP_LOAD_DIRECT, WARP_LOAD_STRIPED, WARP_LOAD_VECTORIZE, WARP_LOAD_TRANSPOSE };
enum WarpStoreAlgorithm { WARP_STORE_DIRECT, WARP_STORE_STRIPED, WARP_STORE_VECTORIZE, WARP_STORE_TRANSPOSE };

struct NullType {};

// Storage of a collective. Its size is not known: it depends on the device.
#define KL_COLLECTIVE(C) \
    struct TempStorage { unsigned int __storage[32]; TempStorage& Alias(); }; \
    C(); \
    C(TempStorage&); \
    C(TempStorage&, unsigned int);

// Blocks.
template <class T, int X, BlockReduceAlgorithm A = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1, int Arch = 0>
struct BlockReduce {
    KL_COLLECTIVE(BlockReduce)
    T Sum(T);
    T Sum(T, int);
    template <int N> T Sum(T (&)[N]);
    template <class Operator> T Reduce(T, Operator);
    template <class Operator> T Reduce(T, Operator, int);
    template <int N, class Operator> T Reduce(T (&)[N], Operator);
};

template <class T, int X, BlockScanAlgorithm A = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int Arch = 0>
struct BlockScan {
    KL_COLLECTIVE(BlockScan)
    template <class... A1> void InclusiveSum(A1&&...);
    template <class... A1> void ExclusiveSum(A1&&...);
    template <class... A1> void InclusiveScan(A1&&...);
    template <class... A1> void ExclusiveScan(A1&&...);
};

template <class T, int X, int Items, BlockLoadAlgorithm A = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1, int Arch = 0>
struct BlockLoad {
    KL_COLLECTIVE(BlockLoad)
    template <class I> void Load(I, T (&)[Items]);
    template <class I> void Load(I, T (&)[Items], int);
    template <class I, class D> void Load(I, T (&)[Items], int, D);
};

template <class T, int X, int Items, BlockStoreAlgorithm A = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1, int Arch = 0>
struct BlockStore {
    KL_COLLECTIVE(BlockStore)
    template <class I> void Store(I, T (&)[Items]);
    template <class I> void Store(I, T (&)[Items], int);
};

template <class T, int X, int Items, bool Slices = false, int Y = 1, int Z = 1, int Arch = 0>
struct BlockExchange {
    KL_COLLECTIVE(BlockExchange)
    template <class... A> void StripedToBlocked(A&&...);
    template <class... A> void BlockedToStriped(A&&...);
    template <class... A> void WarpStripedToBlocked(A&&...);
    template <class... A> void BlockedToWarpStriped(A&&...);
    template <class... A> void ScatterToBlocked(A&&...);
    template <class... A> void ScatterToStriped(A&&...);
};

template <class Key, int X, int Items, class Value = NullType, int Bits = 4, bool Memoize = true,
          BlockScanAlgorithm A = BLOCK_SCAN_WARP_SCANS, int Config = 0, int Y = 1, int Z = 1, int Arch = 0>
struct BlockRadixSort {
    KL_COLLECTIVE(BlockRadixSort)
    template <class... A1> void Sort(Key (&)[Items], A1&&...);
    template <class... A1> void SortDescending(Key (&)[Items], A1&&...);
    template <class... A1> void SortBlockedToStriped(Key (&)[Items], A1&&...);
    template <class... A1> void SortDescendingBlockedToStriped(Key (&)[Items], A1&&...);
};

template <class Key, int X, int Items, class Value = NullType, int Y = 1, int Z = 1> struct BlockMergeSort {
    KL_COLLECTIVE(BlockMergeSort)
    template <class... A> void Sort(Key (&)[Items], A&&...);
    template <class... A> void StableSort(Key (&)[Items], A&&...);
};

template <int X, int Bits, bool Descending, class... A> struct BlockRadixRank {
    KL_COLLECTIVE(BlockRadixRank)
    template <class... A1> void RankKeys(A1&&...);
};

template <class T, int X, int Items, int Bins, BlockHistogramAlgorithm A = BLOCK_HISTO_SORT, int Y = 1, int Z = 1>
struct BlockHistogram {
    KL_COLLECTIVE(BlockHistogram)
    template <class C> void InitHistogram(C (&)[Bins]);
    template <class C> void Histogram(T (&)[Items], C (&)[Bins]);
    template <class C> void Composite(T (&)[Items], C (&)[Bins]);
};

template <class T, int X, int Y = 1, int Z = 1> struct BlockDiscontinuity {
    KL_COLLECTIVE(BlockDiscontinuity)
    template <class... A> void FlagHeads(A&&...);
    template <class... A> void FlagTails(A&&...);
    template <class... A> void FlagHeadsAndTails(A&&...);
};

template <class T, int X, int Y = 1, int Z = 1> struct BlockAdjacentDifference {
    KL_COLLECTIVE(BlockAdjacentDifference)
    template <class... A> void SubtractLeft(A&&...);
    template <class... A> void SubtractRight(A&&...);
};

template <class T, int X, int Y = 1, int Z = 1> struct BlockShuffle {
    KL_COLLECTIVE(BlockShuffle)
    template <class... A> void Offset(A&&...);
    template <class... A> void Rotate(A&&...);
    template <class... A> void Up(A&&...);
    template <class... A> void Down(A&&...);
};

// Warps.
template <class T, int Lanes = 32, int Arch = 0> struct WarpReduce {
    KL_COLLECTIVE(WarpReduce)
    T Sum(T);
    T Sum(T, int);
    template <class Operator> T Reduce(T, Operator);
    template <class Operator> T Reduce(T, Operator, int);
    template <class Flag> T HeadSegmentedSum(T, Flag);
    template <class Flag> T TailSegmentedSum(T, Flag);
    template <class Operator, class Flag> T HeadSegmentedReduce(T, Flag, Operator);
    template <class Operator, class Flag> T TailSegmentedReduce(T, Flag, Operator);
};

template <class T, int Lanes = 32, int Arch = 0> struct WarpScan {
    KL_COLLECTIVE(WarpScan)
    template <class... A> void InclusiveSum(A&&...);
    template <class... A> void ExclusiveSum(A&&...);
    template <class... A> void InclusiveScan(A&&...);
    template <class... A> void ExclusiveScan(A&&...);
    template <class... A> void Scan(A&&...);
    T Broadcast(T, unsigned int);
};

template <class T, int Items, int Lanes = 32, int Arch = 0> struct WarpExchange {
    KL_COLLECTIVE(WarpExchange)
    template <class... A> void BlockedToStriped(A&&...);
    template <class... A> void StripedToBlocked(A&&...);
    template <class... A> void ScatterToStriped(A&&...);
};

template <class T, int Items, WarpLoadAlgorithm A = WARP_LOAD_DIRECT, int Lanes = 32> struct WarpLoad {
    KL_COLLECTIVE(WarpLoad)
    template <class... A1> void Load(A1&&...);
};

template <class T, int Items, WarpStoreAlgorithm A = WARP_STORE_DIRECT, int Lanes = 32> struct WarpStore {
    KL_COLLECTIVE(WarpStore)
    template <class... A1> void Store(A1&&...);
};

template <class Key, int Items, int Lanes = 32, class Value = NullType> struct WarpMergeSort {
    KL_COLLECTIVE(WarpMergeSort)
    template <class... A> void Sort(Key (&)[Items], A&&...);
    template <class... A> void StableSort(Key (&)[Items], A&&...);
};
#undef KL_COLLECTIVE

// Functors and small types.
struct Sum { template <class T, class U> decltype(T() + U()) operator()(T, U) const; };
struct Difference { template <class T, class U> decltype(T() - U()) operator()(T, U) const; };
struct Max { template <class T> T operator()(T, T) const; };
struct Min { template <class T> T operator()(T, T) const; };
struct ArgMax { template <class T> T operator()(T, T) const; };
struct ArgMin { template <class T> T operator()(T, T) const; };
struct Equality { template <class T, class U> bool operator()(const T&, const U&) const; };
struct Inequality { template <class T, class U> bool operator()(const T&, const U&) const; };
template <class K, class V> struct KeyValuePair {
    typedef K Key;
    typedef V Value;
    K key;
    V value;
    KeyValuePair();
    KeyValuePair(const K&, const V&);
};
template <class T> struct DoubleBuffer {
    T* d_buffers[2];
    int selector;
    DoubleBuffer();
    DoubleBuffer(T*, T*);
    T* Current();
    T* Alternate();
};
template <class T> struct Uninitialized { T& Alias(); };
template <class T> struct Traits;
template <class T> struct FpLimits { static T Max(); static T Lowest(); };
template <bool B, class T, class F> struct If { typedef T Type; };
template <class T, class F> struct If<false, T, F> { typedef F Type; };
template <int N> struct Log2 { static constexpr int VALUE = N <= 1 ? 0 : 1 + Log2<N / 2>::VALUE; };
template <> struct Log2<0> { static constexpr int VALUE = 0; };

// Threads.
int LaneId();
int WarpId();
unsigned int LaneMaskLt();
int RowMajorTid(int, int, int);
template <int Lanes, class T> T ShuffleUp(T, int, int, unsigned int);
template <int Lanes, class T> T ShuffleDown(T, int, int, unsigned int);
template <int Lanes, class T> T ShuffleIndex(T, int, unsigned int);
template <CacheLoadModifier M, class I> auto ThreadLoad(I i) -> decltype(*i + 0);
template <CacheStoreModifier M, class I, class T> void ThreadStore(I, T);
template <int N, class T, class Operator> T ThreadReduce(T*, Operator);
template <class T, class I> void LoadDirectBlocked(int, I, T*);
template <class T, class I> void StoreDirectBlocked(int, I, T*);
template <int X, class T, int N, class I> void LoadDirectStriped(int, I, T (&)[N]);
template <int X, class T, int N, class I> void StoreDirectStriped(int, I, T (&)[N]);

// Iterators.
template <class T, class D = ptrdiff_t> struct CountingInputIterator {
    CountingInputIterator(T);
    T operator*() const;
    T operator[](D) const;
    CountingInputIterator operator+(D) const;
};
template <class T, class D = ptrdiff_t> struct ConstantInputIterator {
    ConstantInputIterator(T, D = 0);
    T operator*() const;
    T operator[](D) const;
    ConstantInputIterator operator+(D) const;
};
template <class T, class F, class I, class D = ptrdiff_t> struct TransformInputIterator {
    TransformInputIterator(I, F);
    T operator*() const;
    T operator[](D) const;
    TransformInputIterator operator+(D) const;
};
template <class I, class D = ptrdiff_t> struct ArgIndexInputIterator { ArgIndexInputIterator(I, D = 0); };
template <CacheLoadModifier M, class T, class D = ptrdiff_t> struct CacheModifiedInputIterator {
    CacheModifiedInputIterator(const T*);
    T operator*() const;
    T operator[](D) const;
};

// Devices.
#ifdef __HIP__
typedef hipError_t __kl_error;
#else
typedef cudaError_t __kl_error;
#endif
#define KL_DEVICE(F) template <class... A> static __kl_error F(A&&...);
struct DeviceReduce {
    KL_DEVICE(Reduce)
    KL_DEVICE(Sum)
    KL_DEVICE(Min)
    KL_DEVICE(Max)
    KL_DEVICE(ArgMin)
    KL_DEVICE(ArgMax)
    KL_DEVICE(ReduceByKey)
    KL_DEVICE(TransformReduce)
};
struct DeviceSegmentedReduce {
    KL_DEVICE(Reduce)
    KL_DEVICE(Sum)
    KL_DEVICE(Min)
    KL_DEVICE(Max)
    KL_DEVICE(ArgMin)
    KL_DEVICE(ArgMax)
};
struct DeviceScan {
    KL_DEVICE(ExclusiveSum)
    KL_DEVICE(InclusiveSum)
    KL_DEVICE(ExclusiveScan)
    KL_DEVICE(InclusiveScan)
    KL_DEVICE(ExclusiveSumByKey)
    KL_DEVICE(InclusiveSumByKey)
};
struct DeviceRadixSort {
    KL_DEVICE(SortKeys)
    KL_DEVICE(SortKeysDescending)
    KL_DEVICE(SortPairs)
    KL_DEVICE(SortPairsDescending)
};
struct DeviceSegmentedRadixSort {
    KL_DEVICE(SortKeys)
    KL_DEVICE(SortKeysDescending)
    KL_DEVICE(SortPairs)
    KL_DEVICE(SortPairsDescending)
};
struct DeviceSegmentedSort {
    KL_DEVICE(SortKeys)
    KL_DEVICE(SortKeysDescending)
    KL_DEVICE(SortPairs)
    KL_DEVICE(SortPairsDescending)
    KL_DEVICE(StableSortPairs)
    KL_DEVICE(StableSortPairsDescending)
};
struct DeviceMergeSort {
    KL_DEVICE(SortKeys)
    KL_DEVICE(SortPairs)
    KL_DEVICE(StableSortKeys)
};
struct DeviceSelect {
    KL_DEVICE(Flagged)
    KL_DEVICE(If)
    KL_DEVICE(Unique)
    KL_DEVICE(UniqueByKey)
};
struct DevicePartition {
    KL_DEVICE(Flagged)
    KL_DEVICE(If)
};
struct DeviceRunLengthEncode {
    KL_DEVICE(Encode)
    KL_DEVICE(NonTrivialRuns)
};
struct DeviceHistogram {
    KL_DEVICE(HistogramEven)
    KL_DEVICE(HistogramRange)
    KL_DEVICE(MultiHistogramEven)
};
struct DeviceTopK {
    KL_DEVICE(MaxKeys)
    KL_DEVICE(MaxPairs)
    KL_DEVICE(MinPairs)
};
struct DeviceFor {
    KL_DEVICE(Bulk)
    KL_DEVICE(ForEach)
    KL_DEVICE(ForEachN)
};
#undef KL_DEVICE

}  // namespace cub

#ifdef __HIP__
namespace hipcub {
using namespace cub;
}
#endif

#pragma clang force_cuda_host_device end
