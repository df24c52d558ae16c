/**
 * A whole worker (`bin/siteledger start`) that takes deliveries and is live: the service behind it lists projects, and
 * its subscription was made by hand. It can be restarted at the same place.
 */
import { start } from "./Child.ts"
import type { Engine, Place } from "./Engine.ts"
import { type Receiving, receiving } from "./Receiving.ts"
import type { Environment } from "./WorkerProcess.ts"

export interface Live extends AsyncDisposable {
  readonly place: Place
  /** Starts a new process; it is ready once it takes deliveries. */
  readonly begin: () => Promise<Receiving>
  /** The service's origin. */
  readonly origin: string
}

export const at = async (engine: Engine, projects = 60, more: Environment = {}): Promise<Live> => {
  const place = await engine.place()
  const service = await start("ListServer.ts", projects, 0)
  const origin = `http://127.0.0.1:${service.line}`
  const environment = {
    SITELEDGER_BASE_URL: `${origin}/v1`,
    SITELEDGER_AUTH_URL: origin,
    SITELEDGER_REQUESTS_PER_MINUTE: "600000",
    ...place.environment,
    ...more
  }
  let last: Receiving | undefined
  return {
    place,
    origin,
    begin: async () => (last = await receiving(environment)),
    [Symbol.asyncDispose]: async () => {
      if (last?.worker.hasEnded === false) await last.worker.stop()
      service.process.kill()
    }
  }
}
