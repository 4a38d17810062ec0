// NCCL and RCCL, as host code next to kernels calls them.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

typedef struct ncclComm* ncclComm_t;
typedef struct { char internal[128]; } ncclUniqueId;
enum ncclResult_t {
    ncclSuccess, ncclUnhandledCudaError, ncclSystemError, ncclInternalError, ncclInvalidArgument, ncclInvalidUsage,
    ncclRemoteError, ncclInProgress
};
enum ncclDataType_t {
    ncclInt8, ncclChar = 0, ncclUint8, ncclInt32, ncclInt = 2, ncclUint32, ncclInt64, ncclUint64, ncclFloat16,
    ncclHalf = 6, ncclFloat32, ncclFloat = 7, ncclFloat64, ncclDouble = 8, ncclBfloat16
};
enum ncclRedOp_t { ncclSum, ncclProd, ncclMax, ncclMin, ncclAvg };
const char* ncclGetErrorString(ncclResult_t);
ncclResult_t ncclGetUniqueId(ncclUniqueId*);
ncclResult_t ncclCommInitRank(ncclComm_t*, int, ncclUniqueId, int);
ncclResult_t ncclCommInitAll(ncclComm_t*, int, const int*);
ncclResult_t ncclCommDestroy(ncclComm_t);
ncclResult_t ncclCommAbort(ncclComm_t);
ncclResult_t ncclCommCount(ncclComm_t, int*);
ncclResult_t ncclCommUserRank(ncclComm_t, int*);
ncclResult_t ncclCommCuDevice(ncclComm_t, int*);
ncclResult_t ncclCommGetAsyncError(ncclComm_t, ncclResult_t*);
ncclResult_t ncclGroupStart();
ncclResult_t ncclGroupEnd();
template <class S> ncclResult_t ncclAllReduce(const void*, void*, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t, S);
template <class S> ncclResult_t ncclReduce(const void*, void*, size_t, ncclDataType_t, ncclRedOp_t, int, ncclComm_t, S);
template <class S>
ncclResult_t ncclReduceScatter(const void*, void*, size_t, ncclDataType_t, ncclRedOp_t, ncclComm_t, S);
template <class S> ncclResult_t ncclAllGather(const void*, void*, size_t, ncclDataType_t, ncclComm_t, S);
template <class S> ncclResult_t ncclBroadcast(const void*, void*, size_t, ncclDataType_t, int, ncclComm_t, S);
template <class S> ncclResult_t ncclBcast(void*, size_t, ncclDataType_t, int, ncclComm_t, S);
template <class S> ncclResult_t ncclSend(const void*, size_t, ncclDataType_t, int, ncclComm_t, S);
template <class S> ncclResult_t ncclRecv(void*, size_t, ncclDataType_t, int, ncclComm_t, S);

#pragma clang force_cuda_host_device end
