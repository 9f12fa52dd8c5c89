# Air temperature at four stations: half a day missing at one, most of a day at another.
import series

OPTIONS = ["--operator", "ode1", "--inducing", "200", "--offset", "none", "--scale", "none"]


def report(settings):
    return series.report(settings, "weather", "Air temperature", ["Cambermet", "Chimet"], OPTIONS)
