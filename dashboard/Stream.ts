/**
 * The page's only stream: the worker's status, and the events that it applies. It is open while the page is visible,
 * because a browser allows only six connections to a host, and it reconnects by itself.
 *
 * While it is lost, the last state stays on the page, which says so, with its time.
 */
import { type Event, Refused, session, type StatusReport } from "./Api.ts"
import { Cell } from "./Cell.ts"
import { reader } from "./Session.ts"

export interface Live {
  readonly status: StatusReport | undefined
  /** Why the worker can't tell its status now, in a sentence; the status shown is an earlier one. */
  readonly trouble: string | undefined
  /** When it was last lost, by this machine's clock. */
  readonly lostAt: number
  readonly connection: "connecting" | "open" | "lost"
  /** How often it was opened: answers from before the last opening may be old. */
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

/** The page is visible, and there is a session. */
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

/**
 * The browser reconnects by itself, unless the response wasn't a stream: a proxy's page, or a session that has ended.
 */
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
  // The next reader may be someone else.
  if (reader.value.state === "out") {
    live.set(nothing)
    arrived.set([])
  }
  if (!isWanted()) close()
  else if (source === undefined && retry === undefined) open()
}

export const begin = (): void => {
  document.addEventListener("visibilitychange", follow)
  // A page in the browser's back/forward cache must not hold a connection.
  addEventListener("pagehide", close)
  addEventListener("pageshow", follow)
  reader.watch(follow)
  follow()
}
