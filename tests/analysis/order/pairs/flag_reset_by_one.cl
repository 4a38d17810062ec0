// kinds: global-memory-race
// A barrier of one group does not keep the others from raising the flag before it is reset.
__kernel void any_match(__global const uint *made, __constant uint *wanted, volatile __global int *found, int n)
{
    const int i = get_global_id(0);
    if (i == 0) //-
        *found = 0; //-
    barrier(CLK_GLOBAL_MEM_FENCE); //-
    if (i < n && made[i] == wanted[0])
        atomic_or(found, 1);
}
