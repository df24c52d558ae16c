/**
 * Makes a data directory whose inbox holds many events of `Signed.ts`, none of them applied: written as the inbox's own
 * thread writes them, without HTTP, about 30,000 a second. A worker that starts next finds a store without a warehouse.
 * Run: node bench/InboxFiles.ts DIRECTORY EVENTS [IPCS]
 */
import { hash, randomBytes } from "node:crypto"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { keyOf } from "../src/Stores/Segments/Key.ts"
import { bodyKey, idKey } from "../src/Stores/Segments/Known.ts"
import type { Arrived } from "../src/Stores/Segments/Group.ts"
import { Writer } from "../src/Stores/Segments/Writer.ts"
import { type Body, eventBody, eventId } from "./Signed.ts"

const atOnce = 5000
export const fingerprint = "f".repeat(16)

export const headersOf = (type: string, id: string): ReadonlyArray<string> => [
  "Content-Type",
  "application/json",
  "X-Service-Event-Id",
  id,
  "X-Service-Event-Type",
  type
]

/** All events lie within a year, however many there are. */
const firstMs = Date.UTC(2025, 10, 1)
const yearMs = 365 * 24 * 60 * 60 * 1000

/** In the form in which the receiver's thread hands it to the writer. */
export const arrivedOf = ({ body, type }: Body, atMs: number): Arrived => {
  const id = eventId(body)
  const labels = {
    eventId: id,
    headerType: type,
    issuedAt: null,
    receivedAt: `${new Date(atMs).toISOString().slice(0, -1)}000Z`,
    headers: headersOf(type, id),
    secret: fingerprint
  }
  return {
    bodyKey: bodyKey(hash("sha256", body, "buffer")),
    idKey: idKey(id),
    labels: JSON.stringify(labels),
    body
  }
}

/** The writer of the data directory. */
export const writerIn = (directory: string): Writer => {
  const folder = join(directory, "inbox")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return new Writer(folder, keyOf(folder, randomBytes(32)))
}

/** Fills the data directory with `events` of `ipcs` IPCs, whose lives are interleaved. */
export const fill = (directory: string, events: number, ipcs = Math.max(1, events / 4), series = "IPC"): void => {
  const writer = writerIn(directory)
  const arrived = (n: number): Arrived =>
    arrivedOf(eventBody(series, n, ipcs), firstMs + Math.floor((n / events) * yearMs))
  for (let first = 0; first < events; first += atOnce) {
    writer.receive(Array.from({ length: Math.min(atOnce, events - first) }, (_, n) => arrived(first + n)))
    while (writer.step());
  }
  writer.close()
}

if (import.meta.main) {
  const [directory = "", events = "0", ipcs] = process.argv.slice(2)
  fill(directory, Number(events), ipcs === undefined ? undefined : Number(ipcs))
}
