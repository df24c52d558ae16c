/** An endpoint that takes every alert. */
import { EventEmitter, once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

interface Alert {
  readonly status: string
  readonly level: string
  readonly since: string
  readonly reasons: ReadonlyArray<string>
  readonly instance: string
}

export const alertEndpoint = async () => {
  const taken: Array<Alert> = []
  const arrived = new EventEmitter()
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      taken.push(JSON.parse(String(Buffer.concat(chunks))) as Alert)
      response.end()
      arrived.emit("alert")
    })
  })
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  return {
    taken,
    /** A recovery is sent 30 seconds after a start at the earliest. */
    count: async (count: number): Promise<void> => {
      while (taken.length < count) await once(arrived, "alert")
    },
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/MARKED`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    }
  }
}
