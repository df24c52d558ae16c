/**
 * The off-machine backup, for `siteledger doctor`: whether its location can be written, and whether what is there
 * belongs to this store and can be decrypted with the configured key.
 */
import { existsSync } from "node:fs"
import { Effect } from "effect"
import * as Own from "../Backup/Own.ts"
import * as Vault from "../Backup/Vault.ts"
import { find } from "../Backup/Tip.ts"
import { type CheckResult, fail, ok } from "../Doctor.ts"
import { bucket } from "./Bucket.ts"
import * as Machine from "./Machine.ts"
import { openReadOnly } from "./ReadOnly.ts"

/** `store`: the store's file, which may be in use or may not exist yet. */
export const backup = Effect.fnUntraced(function* (given: Vault.Given, store: string) {
  const { address } = given
  const access =
    address.kind === "s3" ? yield* bucket(address) : [yield* Machine.folder(address.path, "SITELEDGER_BACKUP")]
  if (access.some(({ verdict }) => verdict === "fail")) return access
  return [...access, yield* whose(given, store)]
})

const whose = (given: Vault.Given, store: string): Effect.Effect<CheckResult> =>
  Effect.gen(function* () {
    const { tip } = yield* find(yield* Vault.open(given))
    if (tip === undefined) return ok("There is no backup yet: the worker begins one.")
    const own = yield* Effect.sync(() => ownIn(store))
    if (own?.owner === tip.owner) return ok(`It is this store's, as of ${tip.at}, and the key opens it.`)
    return fail(
      `It is another store's (of ${tip.host}, as of ${tip.at}).`,
      "Choose another place (SITELEDGER_BACKUP), or restore it here."
    )
  }).pipe(
    Effect.scoped,
    Effect.catch(({ message }) => Effect.succeed(fail(message)))
  )

const ownIn = (store: string): Own.Own | undefined => {
  if (!existsSync(store)) return undefined
  const database = openReadOnly(store)
  try {
    return Own.parse(database.prepare("select value from meta where key = ?").get(Own.key)?.["value"])
  } finally {
    database.close()
  }
}
