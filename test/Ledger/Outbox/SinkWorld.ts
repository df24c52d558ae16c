/**
 * An accounting system over real HTTP that answers as a test wants, and a ledger whose entries go there. Pauses are
 * short, so tests wait for states in real time.
 */
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Duration, Effect, Layer, Schema } from "effect"
import { type Certificates, unsaid } from "../../../config/Certificates.ts"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import type { AppliedEvent } from "../../../src/Ledger/EventFacts.ts"
import { Outbox } from "../../../src/Ledger/Outbox.ts"
import type { Adapter } from "../../../src/Ledger/Outbox/Adapter.ts"
import type { Queueing } from "../../../src/Ledger/Outbox/Messages.ts"
import * as Sink from "../../../src/Ledger/Outbox/Sink.ts"
import * as SinkAnswer from "../../../src/Ledger/Outbox/SinkAnswer.ts"
import * as SinkPost from "../../../src/Ledger/Outbox/SinkPost.ts"
import { SinkEntry } from "../../../src/Ledger/Outbox/SinkEntry.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import { Store } from "../../../src/Stores/Store.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { contractor } from "../Contractor.ts"
import { certified, payment } from "../Started.ts"

/** A payment and two adjustments. */
export const history = (id: string): ReadonlyArray<AppliedEvent> => [
  ...payment(id),
  certified(id, 2, 12, "7.5000"),
  certified(id, 3, 13, "6.2500")
]

export const entryOf = (body: Buffer) => Schema.decodeUnknownSync(Schema.fromJsonString(SinkEntry))(String(body))

export interface Posted {
  readonly key: string
  readonly body: Buffer
  readonly headers: IncomingHttpHeaders
  readonly path: string
  readonly ipcId: string
}

/** `silence`: never. `hang-up`: the connection ends without an answer. */
export type Answer =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly text?: string }
  | "silence"
  | "hang-up"

export const taken = { status: 201 } as const

/** Remembers everything that was posted. */
export class Accounts {
  readonly posts: Array<Posted> = []
  answer: (posted: Posted, number: number) => Answer | Promise<Answer> = () => taken
  #server: Server | undefined
  #port = 0

  get url(): URL {
    return new URL(`http://127.0.0.1:${this.#port}/entries?book=7`)
  }

  /** On the same port as before. */
  async open(): Promise<void> {
    this.#server = createServer((request, response) => {
      const pieces: Array<Buffer> = []
      request.on("data", (piece: Buffer) => pieces.push(piece))
      request.on("end", () => {
        const body = Buffer.concat(pieces)
        const { ipc_id: ipcId } = JSON.parse(String(body)) as { ipc_id: string }
        const key = String(request.headers["idempotency-key"])
        const posted = { key, body, headers: request.headers, path: request.url ?? "", ipcId }
        this.posts.push(posted)
        const respond = (answer: Answer): void => {
          if (answer === "hang-up") response.destroy()
          else if (answer !== "silence") response.writeHead(answer.status, answer.headers).end(answer.text)
        }
        const answer = this.answer(posted, this.posts.length)
        if (answer instanceof Promise) void answer.then(respond)
        else respond(answer)
      })
    })
    this.#server.listen(this.#port, "127.0.0.1")
    await once(this.#server, "listening")
    this.#port = (this.#server.address() as AddressInfo).port
  }

  async close(): Promise<void> {
    const server = this.#server
    if (server === undefined) return
    this.#server = undefined
    server.close()
    server.closeAllConnections()
    await once(server, "close")
  }
}

export const accounts = Effect.acquireRelease(
  Effect.promise(async () => {
    const opened = new Accounts()
    await opened.open()
    return opened
  }),
  (opened) => Effect.promise(() => opened.close())
)

export const secret = "a-shared-secret"
const quick = { first: Duration.millis(2), longest: Duration.millis(20) }

export interface Start {
  readonly status?: "draft" | "posted"
  /** The accounting system has no drafts. */
  readonly keepsDrafts?: boolean
  /** Around the one that posts. */
  readonly adapter?: (posting: Adapter) => Adapter
  /** Nobody has said what they are by default. */
  readonly certificates?: Certificates
  /** Short by default. */
  readonly pauses?: NonNullable<Sink.SinkOptions["pauses"]>
  readonly rests?: NonNullable<Sink.SinkOptions["rests"]>
  readonly patience?: Duration.Duration
  /** A file in the folder by default. */
  readonly stores?: Layer.Layer<Store, unknown>
  /** Wraps the Store. */
  readonly store?: (store: Store["Service"]) => Store["Service"]
}

const ledger = (certificates: Certificates) =>
  Layer.unwrap(Effect.map(Outbox, (outbox) => Ledger.layerWith({ ...contractor, certificates }, outbox)))

type Books = Pick<Start, "certificates" | "store" | "stores"> & { readonly queueing: Queueing | undefined }

const books = (
  path: string,
  { certificates = unsaid, queueing, store, stores = Sqlite.layerAt(`${path}/store.sqlite`) }: Books
) =>
  ledger(certificates).pipe(
    Layer.provideMerge(Outbox.layerWith(queueing)),
    Layer.provideMerge(
      Layer.effect(
        Store,
        Effect.map(Store, (real) => store?.(real) ?? real)
      )
    ),
    Layer.provideMerge(stores),
    Layer.provideMerge(Reasons.layer)
  )

export type Services = Ledger | Outbox | Store | Reasons

const withoutDrafts = ({ post }: Adapter): Adapter => ({
  post: (message) => {
    const reason = SinkAnswer.whyDraftHeld("This system", message)
    return reason === undefined ? post(message) : Effect.succeed({ _tag: "Held", reason })
  }
})

/** One start of a worker over the store of a folder, with a sink. */
export const sending = <A, E>(path: string, to: Accounts, start: Start, body: Effect.Effect<A, E, Services>) => {
  const { patience = Duration.seconds(10), pauses = quick, rests = quick, status = "draft" } = start
  const { adapter = (posting) => posting, keepsDrafts = false, ...stores } = start
  const posting = SinkPost.adapter(to.url, secret, patience)
  const sink = Sink.layerWith({ adapter: adapter(keepsDrafts ? withoutDrafts(posting) : posting), pauses, rests })
  const layer = sink.pipe(
    Layer.provide(NodeHttpClient.layerUndici),
    Layer.provideMerge(books(path, { queueing: { status, keepsDrafts }, ...stores }))
  )
  return Effect.scoped(Effect.provide(body, layer, { local: true }))
}

/** One start of a worker without a sink. */
export const unsending = <A, E>(
  path: string,
  body: Effect.Effect<A, E, Services>,
  certificates?: Certificates,
  stores: Pick<Start, "stores"> = {}
) =>
  Effect.scoped(
    Effect.provide(
      body,
      books(path, { queueing: undefined, ...(certificates === undefined ? {} : { certificates }), ...stores }),
      { local: true }
    )
  )

/** Polls until it is so; a failure names what was waited for. */
export const until = <E, R>(what: string, isSo: Effect.Effect<boolean, E, R>): Effect.Effect<void, E | Error, R> =>
  Effect.gen(function* () {
    for (let asked = 0; asked < 4000; asked++) {
      if (yield* isSo) return
      yield* Effect.sleep(Duration.millis(5))
    }
    return yield* Effect.fail(new Error(`Waited in vain until ${what}`))
  })

export const letters = Effect.flatMap(Store, (store) =>
  store.run((db) => db.selectFrom("ledger_outbox").selectAll().orderBy("sequence").execute())
)

export const allDelivered = Effect.map(letters, (rows) => rows.every(({ state }) => state === "delivered"))
