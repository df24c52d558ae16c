/**
 * The verbs about a worker's setup: the settings in force, without secrets, and what `siteledger doctor` finds on its
 * machine.
 */
import { Schema } from "effect"
import { nothing, verb } from "./Verb.ts"

const Setting = Schema.Struct({
  section: Schema.String,
  /** The variable's name. */
  name: Schema.String,
  meaning: Schema.String,
  isSecret: Schema.Boolean,
  state: Schema.Literals(["set", "default", "not-set", "bad"]),
  /**
   * As it was given, with parts of a URL masked that may be secret. Null for a secret, and for a setting that is unset
   * or invalid.
   */
  value: Schema.NullOr(Schema.String),
  /** What is wrong, as a sentence that continues after the name. */
  problem: Schema.NullOr(Schema.String)
})

const Finding = Schema.Struct({
  check: Schema.String,
  verdict: Schema.Literals(["ok", "warn", "fail"]),
  sentence: Schema.String,
  /** What to do. */
  advice: Schema.optionalKey(Schema.String)
})

export const Findings = Schema.Struct({
  /** Nothing failed. */
  ok: Schema.Boolean,
  findings: Schema.Array(Finding)
})

export const setupVerbs = [
  /** Each variable, in the order of docs/configuration.md. */
  verb("settings", {
    needs: "read",
    payload: nothing,
    answer: Schema.Struct({ settings: Schema.Array(Setting) })
  }),
  /** Checks everything on the worker's machine and changes nothing; takes at most two minutes, one at a time. */
  verb("doctor", { needs: "operate", payload: nothing, answer: Findings })
] as const
