// kinds: unawaited-async-copy shared-memory-race
// Tiles are fetched one ahead; the wait stands at the loop's head.
__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void tile_sums(__global const int *in, __global int *out, const int tiles)
{
    __local int tile[2][64];
    const int l = get_local_id(0);
    event_t next = async_work_group_copy(tile[0], in, 64, 0);
    int sum = 0;
    for (int k = 0; k < tiles; ++k) {
        wait_group_events(1, &next); //+
        if (k + 1 < tiles)
            next = async_work_group_copy(tile[(k + 1) & 1], in + (k + 1) * 64, 64, 0);
        sum += tile[k & 1][63 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[l] = sum;
}
