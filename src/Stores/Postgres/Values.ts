/**
 * How PostgreSQL's values are read: integers become numbers if exact, times become Instants, and everything else stays
 * the server's text.
 */
import { types } from "pg"

const { builtins } = types

const integer = (text: string): number | string => {
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : text
}

/** Reads "2026-11-20 02:00:00.12+00", from a UTC session. */
const instant = (text: string): string => {
  const [, day, time, fraction = ""] = /^(\S+) ([\d:]+)(?:\.(\d+))?\+00$/.exec(text) ?? []
  return day === undefined ? text : `${day}T${time}.${fraction.padEnd(6, "0")}Z`
}

const same = (text: string): string => text

const parsers = new Map<number, (text: string) => unknown>([
  [builtins.INT8, integer],
  [builtins.TIMESTAMPTZ, instant],
  ...[builtins.NUMERIC, builtins.DATE, builtins.TIMESTAMP, builtins.JSON, builtins.JSONB].map(
    (type) => [type, same] as const
  )
])

export const valueOf = ((type: number, format?: "text" | "binary") =>
  parsers.get(type) ?? types.getTypeParser(type, format)) as typeof types.getTypeParser
