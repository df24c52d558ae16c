/**
 * Checks the Store's file while it is in use. Throws like SQLite itself if the file is damaged.
 */
import { Worker } from "node:worker_threads"
import { fileOf } from "../../Runtime/Module.ts"

const threadFile = fileOf(new URL("./check-thread.ts", import.meta.url))

export class Damaged extends Error {
  /** SQLITE_CORRUPT. */
  readonly errcode = 11
}

export const check = (path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const thread = new Worker(threadFile, { name: "check", workerData: path })
    thread.on("message", (verdict: string) => (verdict === "ok" ? resolve() : reject(new Damaged(verdict))))
    thread.on("error", reject)
  })
