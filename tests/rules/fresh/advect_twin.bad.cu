// The backward step is the forward step's twin without its test.
// family: bounds
__global__ void advect(const double *u, double *next, int nx, int ny, double dt) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < nx && y < ny) next[y * nx + x] = u[y * nx + x] * dt;
}
__global__ void advect_adjoint(const double *grad_next, double *grad_u, int nx, int ny, double dt) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < nx) grad_u[y * nx + x] = grad_next[y * nx + x] * dt;  // bad
}
void step(const double *u, double *next, const double *g, double *gu, int nx, int ny, double dt) {
    dim3 block(16, 16), grid((nx + 15) / 16, (ny + 15) / 16);
    advect<<<grid, block>>>(u, next, nx, ny, dt);
    advect_adjoint<<<grid, block>>>(g, gu, nx, ny, dt);
}
