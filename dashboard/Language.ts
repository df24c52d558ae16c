/**
 * A browser in the locale POSIX names a language that `Intl` refuses, and uPlot asks for it while it is loaded: the page would stay
 * empty. Such a browser gets English. To be imported before everything else.
 */
const isKnown = (language: string): boolean => {
  try {
    Intl.NumberFormat.supportedLocalesOf(language)
    return true
  } catch {
    return false
  }
}

if (!isKnown(navigator.language)) Object.defineProperty(navigator, "language", { value: "en-US", configurable: true })
