/**
 * The one stream of the page: the worker's status, and the events that it applies. It is open while the page is visible, as a
 * browser allows six connections to a host, and is begun again by itself.
 *
 * What was shown stays while it is lost; the page says so, and as of when it is.
 */
import { type Event, Refused, session, type StatusReport } from "./Api.ts"
import { Cell } from "./Cell.ts"
import { reader } from "./Session.ts"

export interface Live {
  readonly status: StatusReport | undefined
  /** Why the worker can't tell its status now, in a sentence; what is shown of it is from before. */
  readonly trouble: string | undefined
  /** When it was last lost, by this machine's clock. */
  readonly lostAt: number
  readonly connection: "connecting" | "open" | "lost"
  /** How often it was opened: what was asked before may be old. */
  readonly opened: number
}

const nothing: Live = { status: undefined, trouble: undefined, lostAt: 0, connection: "connecting", opened: 0 }

export const live = new Cell<Live>(nothing)

/** The newest ones, in stored order. */
export const arrived = new Cell<ReadonlyArray<Event>>([])

const mostKept = 500

/** Milliseconds. A burst is drawn once. */
const drawEvery = 250

let waiting: Array<Event> = []
let drawing: ReturnType<typeof setTimeout> | undefined

const draw = (): void => {
  drawing = undefined
  const known = arrived.value.at(-1)?.sequence ?? 0
  const fresh = waiting.filter(({ sequence }) => sequence > known)
  waiting = []
  if (fresh.length > 0) arrived.set([...arrived.value, ...fresh].slice(-mostKept))
}

const take = (events: ReadonlyArray<Event>): void => {
  waiting.push(...events)
  drawing ??= setTimeout(draw, drawEvery)
}

let source: EventSource | undefined
let retry: ReturnType<typeof setTimeout> | undefined
let delay = 1000
const longestDelay = 15_000

const change = (change: Partial<Live>): void => live.set({ ...live.value, ...change })

const close = (): void => {
  clearTimeout(retry)
  retry = undefined
  source?.close()
  source = undefined
}

const dataOf = (message: MessageEvent): unknown => JSON.parse(String(message.data))

/** Somebody can see the page, and there is a session. */
const isWanted = (): boolean => reader.value.state === "in" && !document.hidden

const again = (): void => {
  retry = setTimeout(() => {
    session().then(open, (cause: unknown) => {
      if (cause instanceof Refused && cause.status === 401) endSession()
      else if (isWanted()) again()
    })
  }, delay)
  delay = Math.min(longestDelay, delay * 2)
}

const endSession = (): void => reader.set({ state: "out", sentence: "Your session has ended." })

/** The browser tries again by itself, unless the answer was none: a proxy's page, or a session that has ended. */
const onError = (): void => {
  if (live.value.connection !== "lost") change({ connection: "lost", lostAt: Date.now() })
  if (source?.readyState !== EventSource.CLOSED) return
  close()
  again()
}

const open = (): void => {
  close()
  if (!isWanted()) return
  const opened = new EventSource("/stream")
  source = opened
  opened.addEventListener("open", () => {
    delay = 1000
    change({ connection: "open", opened: live.value.opened + 1 })
  })
  opened.addEventListener("status", (message) => {
    change({ status: dataOf(message) as StatusReport, trouble: undefined, connection: "open" })
  })
  opened.addEventListener("trouble", (message) => {
    change({ trouble: (dataOf(message) as { readonly error: string }).error, connection: "open" })
  })
  opened.addEventListener("events", (message) => {
    take((dataOf(message) as { readonly events: ReadonlyArray<Event> }).events)
  })
  opened.addEventListener("error", onError)
}

const follow = (): void => {
  // The next reader may be another one.
  if (reader.value.state === "out") {
    live.set(nothing)
    arrived.set([])
  }
  if (!isWanted()) close()
  else if (source === undefined && retry === undefined) open()
}

export const begin = (): void => {
  document.addEventListener("visibilitychange", follow)
  // What the browser keeps of a page that was left must not hold a connection.
  addEventListener("pagehide", close)
  addEventListener("pageshow", follow)
  reader.watch(follow)
  follow()
}
