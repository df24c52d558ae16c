/**
 * The options of an Effect program, which may redact the secret in its logs.
 */
import type { Redacted } from "effect"
import type { Options } from "./Options.ts"

export interface RedactedOptions extends Omit<Options, "clientSecret"> {
  readonly clientSecret: string | Redacted.Redacted
}
