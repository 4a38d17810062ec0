// kinds: global-memory-race
typedef struct { int side; int steps; float pull; } field_t;

// Walkers leave a trace in each cell that they cross.
__kernel void walk(__global const float2 *start, __global int *trace, __global const float2 *wind, const int walkers,
                   const field_t f)
{
    const int id = get_global_id(0);
    if (id >= walkers)
        return;
    float2 at = start[id];
    float strength = 1.0f;
    for (int k = 0; k < f.steps; ++k) {
        const int x = (int)at.x, y = (int)at.y;
        if (x < 0 || y < 0 || x >= f.side || y >= f.side)
            break;
        strength *= 0.99f;
        const int left = (int)(strength * 1024.0f);
        trace[y * f.side + x] += left; //-
        atomic_add(&trace[y * f.side + x], left); //+
        at += wind[y * f.side + x] * f.pull;
    }
}
