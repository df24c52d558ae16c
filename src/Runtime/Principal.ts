/**
 * On whose behalf the current work is done: a principal by name, `admin` (the owner of the admin token), or `os:` and
 * the operating-system user who works on the data directory. Everything that is recorded meanwhile says so. Null for
 * the worker itself.
 */
import { Context, Effect } from "effect"

export const Principal = Context.Reference<string | null>("siteledger/Principal", { defaultValue: () => null })

/** Adds who does it to what is recorded. */
export const signing = Effect.map(
  Principal,
  (principal) =>
    <A extends object>(act: A): A =>
      principal === null ? act : { ...act, principal }
)

/** A given name, and who gave it. */
export const named = (by: string) =>
  Effect.map(Principal, (principal) => (principal === null ? by : `${by} (${principal})`))
