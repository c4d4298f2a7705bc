"""What recursions read from one link."""

from ..kernels import kernel


@kernel(inline=True)
def rigid_of(link):
    """The ten numbers of a link's rigid inertia."""
    h, I = link.h, link.I
    return link.m, h[0], h[1], h[2], I[0], I[1], I[2], I[3], I[4], I[5]
