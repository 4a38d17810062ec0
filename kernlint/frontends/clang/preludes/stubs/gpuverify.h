// Annotations of the GPUVerify verifier: what they state has no effect on a run.
#pragma once
#pragma clang system_header
#ifndef __OPENCL_C_VERSION__
#pragma clang force_cuda_host_device begin
#define KL_OVERLOADED
#else
#define KL_OVERLOADED __attribute__((overloadable))
#endif

// Statements.
void __requires(bool);
void __ensures(bool);
void __assert(bool);
void __assume(bool);
void __invariant(bool);
void __global_requires(bool);
void __global_ensures(bool);
void __global_assert(bool);
void __global_assume(bool);
void __global_invariant(bool);
void __candidate_assert(bool);
void __candidate_invariant(bool);
void __candidate_global_assert(bool);
void __candidate_global_invariant(bool);
void __function_wide_invariant(bool);
void __function_wide_candidate_invariant(bool);
void __requires_fresh_array(const volatile void*);
void __reads_from(const volatile void*);
void __writes_to(const volatile void*);

// Terms over both threads that the verifier looks at.
bool __enabled();
bool __same_group();
bool __implies(bool, bool);
bool __exclusive(bool);
bool __all_threads(bool);
bool __uniform_int(int);
bool __uniform_bool(bool);
bool __distinct_int(int);
bool __distinct_bool(bool);
bool __at_most_one(bool);
int __other_int(int);
bool __other_bool(bool);
const void* __other_ptr_base(const volatile void*);
int __old_int(int);
bool __old_bool(bool);
int __return_val_int();
bool __return_val_bool();
const void* __return_val_ptr();
unsigned int __add_noovfl(unsigned int, unsigned int);
bool __add_noovfl_predicate(unsigned int, unsigned int);
bool __is_pow2(unsigned int);
unsigned int __mod_pow2(unsigned int, unsigned int);
int KL_OVERLOADED __ite(bool, int, int);
unsigned int KL_OVERLOADED __ite(bool, unsigned int, unsigned int);
unsigned long KL_OVERLOADED __ite(bool, unsigned long, unsigned long);
float KL_OVERLOADED __ite(bool, float, float);
bool KL_OVERLOADED __ite(bool, bool, bool);

// Terms over the accesses so far.
bool __read(const volatile void*);
bool __write(const volatile void*);
bool __no_read(const volatile void*);
bool __no_write(const volatile void*);
bool __read_implies(const volatile void*, bool);
bool __write_implies(const volatile void*, bool);
size_t __read_offset_bytes(const volatile void*);
size_t __write_offset_bytes(const volatile void*);
size_t __ptr_offset_bytes(const volatile void*);
const void* __ptr_base(const volatile void*);

// Facts that a barrier passes on, instantiated for the given threads.
#define __barrier_invariant(fact, ...) ((void)sizeof(fact))
#define __barrier_invariant_1(fact, ...) ((void)sizeof(fact))
#define __barrier_invariant_2(fact, ...) ((void)sizeof(fact))
#define __barrier_invariant_3(fact, ...) ((void)sizeof(fact))
#define __barrier_invariant_4(fact, ...) ((void)sizeof(fact))
#define __barrier_invariant_5(fact, ...) ((void)sizeof(fact))
#define __barrier_invariant_6(fact, ...) ((void)sizeof(fact))
#define __barrier_invariant_7(fact, ...) ((void)sizeof(fact))
#define __barrier_invariant_8(fact, ...) ((void)sizeof(fact))
#define __barrier_invariant_9(fact, ...) ((void)sizeof(fact))
#define __barrier_invariant_10(fact, ...) ((void)sizeof(fact))
#define __barrier_invariant_11(fact, ...) ((void)sizeof(fact))
#define __barrier_invariant_12(fact, ...) ((void)sizeof(fact))
#define __barrier_invariant_13(fact, ...) ((void)sizeof(fact))
#define __barrier_invariant_14(fact, ...) ((void)sizeof(fact))
#define __barrier_invariant_15(fact, ...) ((void)sizeof(fact))
#define __barrier_invariant_16(fact, ...) ((void)sizeof(fact))
#define __barrier_invariant_17(fact, ...) ((void)sizeof(fact))
#define __barrier_invariant_18(fact, ...) ((void)sizeof(fact))
#define __barrier_invariant_19(fact, ...) ((void)sizeof(fact))
#define __barrier_invariant_20(fact, ...) ((void)sizeof(fact))
#define __barrier_invariant_binary_1(fact, ...) ((void)(fact))
#define __barrier_invariant_binary_2(fact, ...) ((void)(fact))
#define __barrier_invariant_binary_3(fact, ...) ((void)(fact))
#define __barrier_invariant_binary_4(fact, ...) ((void)(fact))

#undef KL_OVERLOADED
#ifndef __OPENCL_C_VERSION__
#pragma clang force_cuda_host_device end
#endif

// Functions of which only algebraic laws are known.
#define DECLARE_UF_UNARY(name, argument, result) result name(argument);
#define DECLARE_UF_BINARY(name, left, right, result) result name(left, right);
#define DECLARE_UF_TERNARY(name, first, second, third, result) result name(first, second, third);
