# Air temperature at four stations: half a day missing at one, most of a day at another.
import series


def report(settings):
    return series.report(settings, "weather", "Air temperature", ["Cambermet", "Chimet"])
