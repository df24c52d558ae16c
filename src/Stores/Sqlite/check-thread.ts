/**
 * Reads all of a SQLite file in a thread of its own, because `quick_check` doesn't return before it is through. The answer
 * is "ok", or what is damaged.
 */
import { DatabaseSync } from "node:sqlite"
import { parentPort, workerData } from "node:worker_threads"

const database = new DatabaseSync(workerData as string, { readOnly: true, timeout: 5000 })
try {
  parentPort?.postMessage(String(database.prepare("pragma quick_check(1)").get()?.["quick_check"]))
} finally {
  database.close()
}
