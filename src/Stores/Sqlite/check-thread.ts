/**
 * Reads all of a SQLite file in a separate thread, because `quick_check` doesn't return before it is finished. The
 * answer is "ok", or what is damaged.
 */
import { DatabaseSync } from "node:sqlite"
import { parentPort, workerData } from "node:worker_threads"

const port = parentPort
if (port === null) throw new Error("the check's thread was started as a program")

const database = new DatabaseSync(workerData as string, { readOnly: true, timeout: 5000 })
try {
  const row = database.prepare("pragma quick_check(1)").get()
  port.postMessage(String(row?.["quick_check"]))
} finally {
  database.close()
}
