/**
 * Takes deliveries, in its own process. `receiver STORE`: the real Receiver, Inbox and Store, in a SQLite file, or in
 * the database at this address. `bare`: node:http and the same HMAC check; it keeps nothing. Prints its port. Run: node
 * bench/IngestServer.ts KIND [STORE]
 */
import { createHmac, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"
import { Effect, Layer, Redacted } from "effect"
import { readSignature } from "../connectors/construction/ConstructionSigning.ts"
import * as ConstructionWebhooks from "../connectors/construction/ConstructionWebhooks.ts"
import { Inbox } from "../src/Intake/Inbox.ts"
import { Postgres, type PostgresError } from "../src/Stores/Postgres/Postgres.ts"
import { Reasons } from "../src/Runtime/Reasons.ts"
import { Receiver } from "../src/Intake/Receiver.ts"
import { Keyring } from "../src/Intake/Secrets/Keyring.ts"
import type { Store, StoreError } from "../src/Stores/Store.ts"
import * as PostgresStore from "../src/Stores/Postgres/Store.ts"
import * as Sqlite from "../src/Stores/Sqlite/Store.ts"
import { path, secret } from "./Signed.ts"

const [kind, file] = process.argv.slice(2)

const say = (port: number): void => void process.stdout.write(`${port}\n`)

const storeAt = (place: string): Layer.Layer<Store, StoreError | PostgresError> =>
  place.startsWith("postgres:")
    ? PostgresStore.layer.pipe(Layer.provide(Postgres.layerAt(Redacted.make(place))))
    : Sqlite.layerAt(place)

const receiver = (place: string) => {
  return Receiver.layerWith({ host: "127.0.0.1", port: 0, path, maximumBytes: 4 * 1024 * 1024 }).pipe(
    Layer.provide(ConstructionWebhooks.layer),
    Layer.provide([ConstructionWebhooks.Callbacks.layer, Keyring.layerWith(secret)]),
    Layer.provide(Inbox.layer),
    Layer.provide(storeAt(place)),
    Layer.provide(Reasons.layer)
  )
}

const listening = Effect.gen(function* () {
  const { port } = yield* (yield* Receiver).status
  say(port)
  return yield* Effect.never
})

const bare = (): void => {
  const server = createServer((request, response) => {
    const signature = readSignature(request.headers)
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => void chunks.push(chunk))
    request.on("end", () => {
      const expected = createHmac("sha256", secret).update(Buffer.concat(chunks)).digest()
      const isValid = signature !== undefined && timingSafeEqual(expected, signature)
      response.writeHead(isValid ? 200 : 401, { "content-length": "0" }).end()
    })
  }).listen(0, "127.0.0.1", () => {
    const address = server.address()
    say(typeof address === "object" && address !== null ? address.port : 0)
  })
}

if (kind === "bare") bare()
else await Effect.runPromise(Effect.provide(listening, receiver(file ?? "")))
