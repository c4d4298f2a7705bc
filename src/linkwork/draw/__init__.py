"""Pictures and animations of mechanisms, without a graphics card and without a browser.

    mechanism --figure.py--> Figure: faces and lines on bodies --scene.py--> one pose, seen by a Camera --depth.py--> far to near --> SVG, PNG, GIF
                                                                                                                  html.py: a page that does the same itself

Perspective is that of homogeneous coordinates: a frustum matrix (the architect's way, projection.py), and constructions with vanishing
points and horizons (the painter's way, vanishing.py). Eye axes: x to the right, y down, z ahead.
"""
