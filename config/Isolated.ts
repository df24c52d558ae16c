/**
 * An environment of the program's own, for the demo: what is given and, of the process's environment, only the
 * names that say how to print. Whatever else a person has set for a real worker doesn't reach it.
 */
import { ConfigProvider } from "effect"

const printing = ["NO_COLOR", "LOG_LEVEL", "LOG_FORMAT"]

export const isolated = (given: Readonly<Record<string, string>>): ConfigProvider.ConfigProvider => {
  const chosen = Object.fromEntries(
    printing.flatMap((name) => {
      const value = process.env[name]
      return value === undefined ? [] : [[name, value]]
    })
  )
  return ConfigProvider.fromEnvRecord({ ...given, ...chosen })
}
