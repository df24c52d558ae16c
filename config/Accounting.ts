/**
 * The accounting system to which entries are sent: your own, by a signed POST, or Xero, QuickBooks Online or Tryton. At
 * most one of them; what it needs is required together with the variable that names it.
 */
import { Option, type Redacted, Result } from "effect"
import { type Given, ifSet, needed } from "./Accounting/Given.ts"
import { type QuickBooks, quickBooks, quickBooksOf } from "./Accounting/QuickBooks.ts"
import { type Tryton, tryton, trytonOf } from "./Accounting/Tryton.ts"
import { type Xero, xero, xeroOf } from "./Accounting/Xero.ts"
import * as Address from "./Address.ts"
import * as Parse from "./Parse.ts"
import { all, bad, type Fields, optional, preset, secret, type Variables } from "./Variable.ts"

export const sink = {
  url: optional(
    "SITELEDGER_LEDGER_SINK_URL",
    "URL to which each entry is posted as JSON: https, or http on this machine (if not set, entries aren't posted there).",
    Address.sink,
    "https://books.example.com/entries"
  ),
  secret: secret(
    "SITELEDGER_LEDGER_SINK_SECRET",
    "Key that signs each posted entry; required with the URL.",
    Parse.longSecret,
    "change-me-please"
  ),
  status: preset(
    "SITELEDGER_LEDGER_SINK_STATUS",
    "How the accounting system should record an entry: draft, for a person to release, or posted.",
    Parse.sinkStatus,
    "draft"
  )
}

/** For people: one of them is enough. */
export const sections: ReadonlyArray<readonly [title: string, variables: Variables]> = [
  ["Accounting: your own system, which gets the ledger's entries", sink],
  ["Accounting: Xero instead", xero],
  ["Accounting: QuickBooks Online instead", quickBooks],
  ["Accounting: Tryton instead", tryton]
]

export interface Post {
  readonly kind: "post"
  readonly url: URL
  readonly secret: Redacted.Redacted
}

export type System = Post | Xero | QuickBooks | Tryton

export interface Sink {
  readonly status: "draft" | "posted"
  readonly system: System
  /** The system has no drafts of its own: they wait in the outbox until a person releases them. */
  readonly keepsDrafts: boolean
}

const withoutDrafts: ReadonlySet<System["kind"]> = new Set(["quickBooks"])

const postOf = (fields: Fields<typeof sink>): Given<Post> =>
  ifSet(fields.url, () =>
    Result.map(
      all({ url: needed(fields.url, sink.url, sink.url), secret: needed(fields.secret, sink.secret, sink.url) }),
      (found) => ({ kind: "post" as const, ...found })
    )
  )

interface Groups {
  readonly sink: Fields<typeof sink>
  readonly xero: Fields<typeof xero>
  readonly quickBooks: Fields<typeof quickBooks>
  readonly tryton: Fields<typeof tryton>
}

/** The variable that names each system. */
const mains: Readonly<Record<System["kind"], string>> = {
  post: sink.url.name,
  xero: xero.clientId.name,
  quickBooks: quickBooks.clientId.name,
  tryton: tryton.url.name
}

export const sinkOf = (groups: Groups): Given<Sink> => {
  const systems = {
    post: postOf(groups.sink),
    xero: xeroOf(groups.xero),
    quickBooks: quickBooksOf(groups.quickBooks),
    tryton: trytonOf(groups.tryton)
  }
  return Result.flatMap(all({ ...systems, status: groups.sink.status }), ({ status, ...found }) => {
    const named: ReadonlyArray<Option.Option<System>> = Object.values(found)
    const [system, another] = named.flatMap(Option.toArray)
    if (system === undefined) return Result.succeed(Option.none())
    if (another !== undefined) {
      return bad(mains[another.kind], `is set beside ${mains[system.kind]}: entries go to one accounting system.`)
    }
    return Result.succeed(Option.some({ status, system, keepsDrafts: withoutDrafts.has(system.kind) }))
  })
}
