/**
 * The closest peer, `@supabase/stripe-sync-engine`, as a server: its `processWebhook` behind node:http, a pool of ten
 * connections, and no requests to Stripe. It answers 200 once its row is committed. Prints its port. Run: node
 * bench/StripePeer.ts FOLDER DATABASE, where FOLDER has its packages
 */
import { createServer } from "node:http"
import { createRequire } from "node:module"
import { join } from "node:path"
import { stripeSecret } from "./StripeEvents.ts"

interface Sync {
  readonly processWebhook: (payload: Buffer, signature: string | undefined) => Promise<void>
}

interface Package {
  readonly StripeSync: new (config: object) => Sync
  readonly runMigrations: (config: object) => Promise<void>
}

const [folder = "", databaseUrl = ""] = process.argv.slice(2)
// The ESM build's migrations fail.
const { runMigrations, StripeSync } = createRequire(join(folder, "package.json"))(
  "@supabase/stripe-sync-engine"
) as Package
await runMigrations({ databaseUrl, schema: "stripe" })
const sync = new StripeSync({
  poolConfig: { connectionString: databaseUrl, max: 10 },
  schema: "stripe",
  stripeSecretKey: "sk_test_bench",
  stripeWebhookSecret: stripeSecret,
  autoExpandLists: false,
  backfillRelatedEntities: false
})

const server = createServer((request, response) => {
  const chunks: Array<Buffer> = []
  request.on("data", (chunk: Buffer) => void chunks.push(chunk))
  request.on("end", () => {
    const answer = (status: number) => response.writeHead(status, { "content-length": "0" }).end()
    sync.processWebhook(Buffer.concat(chunks), request.headers["stripe-signature"] as string | undefined).then(
      () => answer(200),
      (cause: unknown) => {
        process.stderr.write(`${String(cause)}\n`)
        answer(500)
      }
    )
  })
}).listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.stdout.write(`${typeof address === "object" && address !== null ? address.port : 0}\n`)
})
