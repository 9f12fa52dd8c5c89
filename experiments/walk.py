# A walk: 48 channels of motion capture, about three seconds missing in two of them.
import series

OPTIONS = ["--operator", "ode2", "--inducing", "25", "--offset", "first", "--scale", "sd"]


def report(settings):
    return series.report(settings, "walk", "Walk", ["lowerback-Yrotation", "lradius-Xrotation"], OPTIONS)
