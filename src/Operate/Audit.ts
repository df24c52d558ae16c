/**
 * What an auditor checks: the books against their facts (`Ledger/Verify`), and the facts against the signed bodies.
 */
import { Effect } from "effect"
import { Ledger } from "../Ledger/Ledger.ts"
import { mostDifferences } from "../Ledger/Verify.ts"
import { signed } from "./Audit/Signed.ts"

/** The first hundred differences, in words. */
export const audit = Effect.gen(function* () {
  const books = yield* (yield* Ledger).verify
  const { bodies, differences } = yield* signed(mostDifferences)
  return { ...books, bodies, differences: [...books.differences, ...differences].slice(0, mostDifferences) }
})
