// Barriers, fences, warp primitives, atomics and memory intrinsics.
#pragma once
#pragma clang system_header

// Barriers and fences. For CUDA, __syncthreads is a builtin of the compiler.
#ifdef __HIP__
void __syncthreads();
#endif
int __syncthreads_count(int);
int __syncthreads_and(int);
int __syncthreads_or(int);
void __barrier_sync(unsigned int);
void __barrier_sync_count(unsigned int, unsigned int);
void __threadfence();
void __threadfence_block();
void __threadfence_system();
void __trap();
// What assert comes to in glibc, in Apple's C library and in CUDA's own header: called directly too.
void __assert_fail(const char *, const char *, unsigned, const char *);
void __assertfail(const char *, const char *, unsigned, const char *, unsigned long);
void __assert_rtn(const char *, const char *, int, const char *);
void __brkpt();
void __prof_trigger(int);
void __nanosleep(unsigned int);
long long clock64();
long long wall_clock64();
unsigned long long globaltimer();

// Warp primitives. A HIP wave may have 64 lanes, so its masks have 64 bits.
#ifdef __HIP__
typedef unsigned long long __kl_mask;
void __syncwarp(__kl_mask = ~0ull);
#else
typedef unsigned int __kl_mask;
void __syncwarp(__kl_mask = 0xffffffffu);
#endif
__kl_mask __activemask();
__kl_mask __ballot(int);
__kl_mask __ballot_sync(__kl_mask, int);
int __any(int);
int __any_sync(__kl_mask, int);
int __all(int);
int __all_sync(__kl_mask, int);
int __uni_sync(__kl_mask, int);
template <class T> __kl_mask __match_any_sync(__kl_mask, T);
template <class T> __kl_mask __match_all_sync(__kl_mask, T, int*);
int __reduce_add_sync(__kl_mask, int);
int __reduce_min_sync(__kl_mask, int);
int __reduce_max_sync(__kl_mask, int);
unsigned int __reduce_add_sync(__kl_mask, unsigned int);
unsigned int __reduce_min_sync(__kl_mask, unsigned int);
unsigned int __reduce_max_sync(__kl_mask, unsigned int);
unsigned int __reduce_and_sync(__kl_mask, unsigned int);
unsigned int __reduce_or_sync(__kl_mask, unsigned int);
unsigned int __reduce_xor_sync(__kl_mask, unsigned int);
bool __elect_sync(__kl_mask);

// The default width is the whole warp, as a number: `warpSize` has no value in the tree.
#ifdef __HIP__
#define KL_WARP 64
#else
#define KL_WARP 32
#endif
#define KL_SHUFFLE(T) \
    T __shfl(T, int, int = KL_WARP); \
    T __shfl_up(T, unsigned int, int = KL_WARP); \
    T __shfl_down(T, unsigned int, int = KL_WARP); \
    T __shfl_xor(T, int, int = KL_WARP); \
    T __shfl_sync(__kl_mask, T, int, int = KL_WARP); \
    T __shfl_up_sync(__kl_mask, T, unsigned int, int = KL_WARP); \
    T __shfl_down_sync(__kl_mask, T, unsigned int, int = KL_WARP); \
    T __shfl_xor_sync(__kl_mask, T, int, int = KL_WARP);

KL_SHUFFLE(int)
KL_SHUFFLE(unsigned int)
KL_SHUFFLE(long)
KL_SHUFFLE(unsigned long)
KL_SHUFFLE(long long)
KL_SHUFFLE(unsigned long long)
KL_SHUFFLE(float)
KL_SHUFFLE(double)

// Atomics give the old value. The second argument converts to the type that the first points at.
#define KL_ATOMIC(F) \
    template <class T> T F(T*, typename __kl_same<T>::type); \
    template <class T> T F(volatile T*, typename __kl_same<T>::type); \
    template <class T> T F##_block(T*, typename __kl_same<T>::type); \
    template <class T> T F##_system(T*, typename __kl_same<T>::type);

KL_ATOMIC(atomicAdd)
KL_ATOMIC(atomicSub)
KL_ATOMIC(atomicExch)
KL_ATOMIC(atomicMin)
KL_ATOMIC(atomicMax)
KL_ATOMIC(atomicInc)
KL_ATOMIC(atomicDec)
KL_ATOMIC(atomicAnd)
KL_ATOMIC(atomicOr)
KL_ATOMIC(atomicXor)
KL_ATOMIC(unsafeAtomicAdd)
KL_ATOMIC(unsafeAtomicMin)
KL_ATOMIC(unsafeAtomicMax)
KL_ATOMIC(safeAtomicAdd)
#undef KL_ATOMIC
template <class T> void atomicAddNoRet(T*, typename __kl_same<T>::type);

#define KL_ATOMIC_CAS(F) template <class T> T F(T*, typename __kl_same<T>::type, typename __kl_same<T>::type);
KL_ATOMIC_CAS(atomicCAS)
KL_ATOMIC_CAS(atomicCAS_block)
KL_ATOMIC_CAS(atomicCAS_system)
#undef KL_ATOMIC_CAS
template <class T> T atomicCAS(volatile T*, typename __kl_same<T>::type, typename __kl_same<T>::type);

// Loads and stores with a cache policy.
#define KL_LOAD(F) template <class T> T F(const T*);
KL_LOAD(__ldg)
KL_LOAD(__ldca)
KL_LOAD(__ldcg)
KL_LOAD(__ldcs)
KL_LOAD(__ldcv)
KL_LOAD(__ldlu)
#undef KL_LOAD
#define KL_STORE(F) template <class T> void F(T*, typename __kl_same<T>::type);
KL_STORE(__stcg)
KL_STORE(__stcs)
KL_STORE(__stwb)
KL_STORE(__stwt)
#undef KL_STORE

// Address spaces and asynchronous copies.
size_t __cvta_generic_to_shared(const void*);
size_t __cvta_generic_to_global(const void*);
size_t __cvta_generic_to_constant(const void*);
size_t __cvta_generic_to_local(const void*);
void* __cvta_shared_to_generic(size_t);
void* __cvta_global_to_generic(size_t);
unsigned int __isGlobal(const void*);
unsigned int __isShared(const void*);
unsigned int __isConstant(const void*);
unsigned int __isLocal(const void*);
void __pipeline_memcpy_async(void*, const void*, size_t, size_t = 0);
void __pipeline_commit();
void __pipeline_wait_prior(size_t);
