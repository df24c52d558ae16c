/**
 * The parameters of a request as RFC 6749 §3.1 and §3.2 read them, from a query or a form: one without a value counts
 * as absent, and none may be repeated. Also the scopes among them (§3.3). Pure.
 */
import { Result } from "effect"
import { refuse, type Refusal } from "./Refusal.ts"

export interface Parameters {
  readonly values: Readonly<Record<string, string>>
  /** Names that occurred more than once, whether or not their values are equal. */
  readonly repeated: ReadonlyArray<string>
}

export const read = (pairs: Iterable<readonly [string, string]>): Parameters => {
  const given = [...pairs]
  const names = given.map(([name]) => name)
  return {
    values: Object.fromEntries(given.filter(([, value]) => value !== "")),
    repeated: [...new Set(names.filter((name, index) => names.indexOf(name) !== index))]
  }
}

/** All available scopes if the request names none; otherwise the named ones once each, in their order. */
export const scopes = (
  asked: string | undefined,
  available: ReadonlyArray<string>
): Result.Result<ReadonlyArray<string>, Refusal> => {
  if (asked === undefined) return Result.succeed(available)
  const wanted = [...new Set(asked.split(" "))]
  const unknown = wanted.filter((scope) => !available.includes(scope))
  if (unknown.length === 0) return Result.succeed(wanted)
  return refuse("invalid_scope", `scope not available: ${unknown.join(", ") || "an empty one"}`)
}
