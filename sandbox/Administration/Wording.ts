/**
 * How the administration writes numbers, instants and spans. Instants are in UTC for every reader, so that they can be
 * compared with a log. Pure.
 */
import { DateTime } from "effect"
import { html, type Html } from "./Html.ts"

export const count = (n: number): string => Math.round(n).toLocaleString("en")

/** `1 delivery`, `2 deliveries`. */
export const counted = (n: number, one: string, many: string): string => `${count(n)} ${n === 1 ? one : many}`

/** A JSON number of any size, its digits grouped and never rounded. A line may break between groups. */
export const amount = (json: string): Html => {
  const [whole = "", decimals] = json.split(".")
  const groups = whole.replace(/\B(?=(\d{3})+$)/g, ",").split(",")
  const grouped = groups.map((digits, at) => html`${at > 0 && html`,<wbr />`}${digits}`)
  return html`${grouped}${decimals !== undefined && `.${decimals}`}`
}

export const percent = (share: number): string => `${Number((share * 100).toFixed(4))}`

export const iso = (millis: number): string => DateTime.formatIso(DateTime.makeUnsafe(millis))

/** The time of day, preceded by the date unless it is today. */
export const instant = (millis: number, nowMillis: number): Html => {
  const text = iso(millis)
  const [date = "", time = ""] = text.split("T")
  const isToday = iso(nowMillis).startsWith(date)
  return html`<time datetime="${text}">${isToday ? "" : `${date} `}${time.slice(0, 8)}</time>`
}

const parts = [
  { millis: 86_400_000, unit: "d" },
  { millis: 3_600_000, unit: "h" },
  { millis: 60_000, unit: "min" },
  { millis: 1000, unit: "s" }
] as const

/** In the two largest units: `2 h 5 min`. Below ten seconds with one decimal, below one second in milliseconds. */
export const span = (millis: number): string => {
  if (millis < 1000) return `${Math.round(millis)} ms`
  if (millis < 10_000) return `${(Math.floor(millis / 100) / 10).toFixed(1)} s`
  const first = parts.findIndex((part) => millis >= part.millis)
  let left = millis
  const words = parts.slice(first, first + 2).map(({ millis, unit }) => {
    const many = Math.floor(left / millis)
    left -= many * millis
    return many === 0 ? "" : `${many} ${unit}`
  })
  return words.filter((word) => word !== "").join(" ")
}

/** When something is due. In whole seconds, because it counts down. */
export const until = (dueMillis: number, nowMillis: number): string => {
  const seconds = Math.ceil((dueMillis - nowMillis) / 1000)
  return seconds <= 0 ? "now" : `in ${seconds < 10 ? `${seconds} s` : span(seconds * 1000)}`
}
