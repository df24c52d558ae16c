/**
 * Who has what is being done now: a principal by its name, `admin` (who has the admin token), or `os:` and the user of the
 * operating system who works on the data directory. What is recorded meanwhile says so. Null: the worker itself.
 */
import { Context, Effect } from "effect"

export const Principal = Context.Reference<string | null>("siteledger/Principal", { defaultValue: () => null })

/** Adds to what is recorded who does it. */
export const signing = Effect.map(
  Principal,
  (principal) =>
    <A extends object>(act: A): A =>
      principal === null ? act : { ...act, principal }
)

/** A name that was given, and who gave it. */
export const named = (by: string) =>
  Effect.map(Principal, (principal) => (principal === null ? by : `${by} (${principal})`))
