/**
 * Lets the page start where the system's name for its language is one that `Intl` rejects, such as `en-US@posix`: uPlot
 * passes it to `Intl` while it is loaded. Imported before all other modules.
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
