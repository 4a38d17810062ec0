// family: misaligned-vector-access
__global__ void spmv_block(const int *col, const double *val, double *y, int degree) {
    extern __shared__ char pool[];
    double *vals = reinterpret_cast<double *>(pool);
    int *cols = reinterpret_cast<int *>(vals + degree);
    for (int k = threadIdx.x; k < degree; k += blockDim.x) {
        cols[k] = col[blockIdx.x * degree + k];
        vals[k] = val[blockIdx.x * degree + k];
    }
    __syncthreads();
    double s = 0.0;
    for (int k = 0; k < degree; ++k) s += vals[k];
    if (threadIdx.x == 0) y[blockIdx.x] = s;
}
