"""Pictures and animations of mechanisms, without a graphics card and without a browser.

    mechanism --figure.py--> Figure: faces and lines on bodies --scene.py--> one pose, seen by a Camera --depth.py--> far to near --> SVG, PNG, GIF
                                                                                                                  html.py: a page that does the same itself

Perspective is that of homogeneous coordinates: a frustum matrix (perspective.py). Eye axes: x to the right, y down, z ahead.
"""
