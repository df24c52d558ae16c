/**
 * What went wrong in the embedded Store, as a StoreError: its reason distinguishes a full disk and a lock from other
 * failures.
 */
import { codeOf } from "../../Runtime/SystemFailure.ts"
import { StoreError } from "../Store.ts"

const fullDisk = 13
/** Includes a quota and a limit on file size. */
const noRoom: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT", "EFBIG"])
const busy = 5
/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const damaged: ReadonlySet<number> = new Set([11, 26])

export const storeError = (cause: unknown): StoreError => {
  const code = (cause as { errcode?: number }).errcode ?? (noRoom.has(codeOf(cause) ?? "") ? fullDisk : 0)
  const message = cause instanceof Error ? cause.message : String(cause)
  const primary = code & 0xff
  const reason = primary === fullDisk ? "Full" : primary === busy ? "Locked" : damaged.has(primary) ? "Fatal" : "Failed"
  const toDo = reason === "Full" ? "; free space on its disk, and everything continues by itself." : ""
  return new StoreError({ reason, message: `The store failed: ${message}${toDo}`, cause })
}
