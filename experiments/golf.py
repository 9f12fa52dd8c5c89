# A golf swing: 56 channels of motion capture, two seconds missing in two of them. The paper calls the second lowerback-Yrot.
import series


def report(settings):
    return series.report(settings, "golf", "Golf swing", ["root-Yposition", "lowerback-Xrotation"])
