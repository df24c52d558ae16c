/**
 * The verbs about a worker's setup: the settings in force, without any secret, and what `siteledger doctor` finds where it runs.
 */
import { Schema } from "effect"
import { nothing, verb } from "./Verb.ts"

const Setting = Schema.Struct({
  section: Schema.String,
  /** Of the variable. */
  name: Schema.String,
  meaning: Schema.String,
  isSecret: Schema.Boolean,
  state: Schema.Literals(["set", "default", "not-set", "bad"]),
  /** As it was given, with what may be secret in a URL masked. Null of a secret, and of what is not set or bad. */
  value: Schema.NullOr(Schema.String),
  /** What is bad, as a sentence that goes on after the name. */
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
  /** Checks everything on the worker's machine and changes nothing; within two minutes, one at a time. */
  verb("doctor", { needs: "operate", payload: nothing, answer: Findings })
] as const
