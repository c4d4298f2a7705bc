"""An animation as GIF: frames of one palette, so that colours do not flicker."""

from .png import image

SAMPLES = 2
COLORS = 128


def save_gif(frames, count, size, seconds, file, step=lambda: None):
    """Write a GIF that repeats for ever. frames: an iterable of (marks, labels); seconds: how long each of the `count` frames is shown."""
    made = []
    for marks, labels in frames:
        made.append(image(marks, labels, size, SAMPLES))
        step()
    palette = _palette([made[k] for k in sorted({0, len(made) // 3, 2 * len(made) // 3, len(made) - 1})])
    flat = [frame.quantize(palette=palette, dither=0) for frame in made]
    # The format counts in hundredths of a second, and viewers slow down what is shorter than two.
    hundredths = max(round(100.0 * seconds), 2)
    flat[0].save(file, format="GIF", save_all=True, append_images=flat[1:], duration=10 * hundredths, loop=0, disposal=1, optimize=False)


def _palette(samples):
    """The colours of some frames together."""
    from PIL import Image

    width, height = samples[0].size
    sheet = Image.new("RGB", (width, height * len(samples)))
    for k, sample in enumerate(samples):
        sheet.paste(sample, (0, k * height))
    return sheet.quantize(colors=COLORS, method=Image.Quantize.MEDIANCUT)
