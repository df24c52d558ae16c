/**
 * Lets the page start where the system names its language in a way that `Intl` refuses, like `en-US@posix`: uPlot asks `Intl` for
 * it while it is loaded. It comes before all other modules.
 */
const isRefused = (language: string): boolean => {
  try {
    return Intl.getCanonicalLocales(language).length === 0
  } catch {
    return true
  }
}

export const isMended = isRefused(navigator.language)

if (isMended) Object.defineProperty(navigator, "language", { value: "en" })
