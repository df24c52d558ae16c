/**
 * A whole worker (`bin/siteledger start`) that takes the deliveries of `Signed.ts`. By default the service behind it
 * can't be reached.
 */
import { path, secret } from "./Signed.ts"
import { freePort, until } from "./Waiting.ts"
import { type Environment, Worker } from "./WorkerProcess.ts"

export interface Receiving {
  readonly worker: Worker
  readonly port: string
}

export const receiving = async (environment: Environment): Promise<Receiving> => {
  const port = String(await freePort())
  const worker = new Worker({
    PATH: process.env["PATH"] ?? "",
    NO_COLOR: "1",
    SITELEDGER_BASE_URL: "http://127.0.0.1:1/v1",
    SITELEDGER_AUTH_URL: "http://127.0.0.1:1",
    SITELEDGER_CLIENT_ID: "bench",
    SITELEDGER_CLIENT_SECRET: "bench-secret",
    SITELEDGER_WEBHOOK_URL: `http://127.0.0.1:${port}${path}`,
    SITELEDGER_WEBHOOK_LISTEN: `127.0.0.1:${port}`,
    SITELEDGER_WEBHOOK_SECRET: secret,
    SITELEDGER_ADMIN_LISTEN: "127.0.0.1:0",
    SITELEDGER_LEDGER_CURRENCY: "EUR",
    ...environment
  })
  await until("the worker takes deliveries", () => {
    if (worker.hasEnded) throw new Error(`the worker ended with ${worker.exitCode}: ${worker.log.slice(-500)}`)
    return fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)
  })
  return { worker, port }
}
