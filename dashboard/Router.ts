/**
 * The page's addresses: the path names a view, the query its filters, so that any view can be sent to a colleague.
 *
 * Links are plain ones. A click on a link within the page changes the address and draws the new view, unless the reader
 * asks for a new tab or window.
 */
import { Cell } from "./Cell.ts"

export interface Place {
  readonly pathname: string
  /** The path's segments, decoded. */
  readonly segments: ReadonlyArray<string>
  readonly query: URLSearchParams
}

/** A literal percent sign makes an address that can't be decoded. */
const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

const here = (): Place => ({
  pathname: location.pathname,
  segments: location.pathname
    .split("/")
    .filter((each) => each !== "")
    .map(decoded),
  query: new URLSearchParams(location.search)
})

export const place = new Cell<Place>(here())

/** `replace`: the back button skips the current address. */
export const go = (href: string, replace = false): void => {
  if (replace) history.replaceState(null, "", href)
  else history.pushState(null, "", href)
  const before = place.value.pathname
  place.set(here())
  if (!replace && before !== place.value.pathname) scrollTo(0, 0)
}

/** The address of this view with other filters. Undefined or empty: without that filter. */
export const withFilters = (filters: Readonly<Record<string, string | undefined>>): string => {
  const query = new URLSearchParams(place.value.query)
  for (const [name, value] of Object.entries(filters)) {
    if (value === undefined || value === "") query.delete(name)
    else query.set(name, value)
  }
  return query.size === 0 ? place.value.pathname : `${place.value.pathname}?${query}`
}

export const to = {
  now: "/",
  walks: "/walks",
  walksOf: (list: string) => `/walks/${encodeURIComponent(list)}`,
  deliveries: "/deliveries",
  delivery: (id: string | number) => `/deliveries/${encodeURIComponent(id)}`,
  deliveriesOf: (ipc: string) => `/deliveries?table=ipcs&record=${encodeURIComponent(ipc)}`,
  quarantine: "/quarantine",
  quarantineOf: (reason: string) => `/quarantine?reason=${encodeURIComponent(reason)}`,
  tables: "/records",
  records: (table: string) => `/records/${encodeURIComponent(table)}`,
  record: (table: string, id: string) => `/records/${encodeURIComponent(table)}/${encodeURIComponent(id)}`,
  setup: "/setup",
  lake: "/lake",
  sql: "/sql",
  sqlOf: (sql: string) => `/sql?q=${encodeURIComponent(sql)}`,
  entries: "/ledger",
  entry: (id: string) => `/ledger?entry=${encodeURIComponent(id)}`,
  entriesOf: (ipc: string) => `/ledger?ipc=${encodeURIComponent(ipc)}`,
  holds: "/ledger/holds",
  hold: (id: string) => `/ledger/holds/${encodeURIComponent(id)}`,
  outbox: "/ledger/outbox",
  balances: "/ledger/balances",
  ipc: (id: string) => `/ipcs/${encodeURIComponent(id)}`
}

/** What a pasted id names: a delivery, an entry or a hold, otherwise an IPC. */
export const found = (id: string): string => {
  if (/^\d+$/.test(id) || /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) return to.delivery(id)
  return /^[0-9a-f]{32}$/.test(id) ? to.entry(id) : to.ipc(id)
}

const isPlain = (click: MouseEvent): boolean =>
  click.button === 0 && !click.defaultPrevented && !(click.metaKey || click.ctrlKey || click.shiftKey || click.altKey)

const onClick = (click: MouseEvent): void => {
  const link = click.target instanceof Element ? click.target.closest("a") : null
  if (link === null || !isPlain(click) || link.target !== "" || link.hasAttribute("download")) return
  // A link within this view, such as the one that skips to the main part.
  if (link.origin !== location.origin || link.getAttribute("href")?.startsWith("#") === true) return
  click.preventDefault()
  if (link.href !== location.href) go(link.href)
}

export const begin = (): void => {
  addEventListener("popstate", () => place.set(here()))
  document.addEventListener("click", onClick)
}
