# A walk: 48 channels of motion capture, about three seconds missing in two of them.
import series


def report(settings):
    return series.report(settings, "walk", "Walk", ["lowerback-Yrotation", "lradius-Xrotation"])
