// The stride of a walk is set for one direction alone, though both have a branch.
// family: uninitialised-private
__kernel void carry(__global float *grid, const int rows, const int columns, const int upwards) {
    const int column = get_global_id(0);
    if (column >= columns) return;
    int at, stride;
    if (upwards) {
        at = (rows - 1) * columns + column;
        stride = -columns;
    } else {
        at = column;
    }
    float sum = 0.0f;
    for (int row = 0; row < rows; ++row) {
        sum += grid[at];  // bad
        grid[at] = sum;
        at += stride;  // bad
    }
}
