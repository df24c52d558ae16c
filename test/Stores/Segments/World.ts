/** An inbox's folder, its frames, and ways to damage its files. */
import { createSecretKey, hash } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Frame } from "../../../src/Stores/Segments/Frame.ts"
import { Reader } from "../../../src/Stores/Segments/Reader.ts"
import { type Incoming, packed, unpacked } from "../../../src/Stores/Segments/Protocol.ts"
import { Writer } from "../../../src/Stores/Segments/Writer.ts"

export const key = createSecretKey(Buffer.alloc(32, 7))

/** As the thread gets them. */
export const arrived = (batch: ReadonlyArray<Incoming>) => unpacked(packed(batch))

export const withFolder = <A>(use: (folder: string) => A): A => {
  const folder = mkdtempSync(join(tmpdir(), "siteledger-segments-"))
  try {
    return use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export const withFolderAsync = async (use: (folder: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), "siteledger-segments-"))
  try {
    await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

export const incoming = (body: string | Uint8Array, eventId?: string): Incoming => {
  const bytes = Buffer.from(body)
  const bodySha256 = hash("sha256", bytes, "buffer")
  return {
    body: bytes,
    bodySha256,
    labels: {
      eventId: eventId ?? bodySha256.toString("hex"),
      headerType: "ipc.paid",
      issuedAt: null,
      receivedAt: "2026-11-20T02:00:00.000000Z",
      headers: ["X-Event", "ipc.paid"],
      secret: "abcd"
    }
  }
}

export const summary = (frames: ReadonlyArray<Frame>): ReadonlyArray<string> =>
  frames.map((frame) => {
    if (frame.kind === "first") return `${frame.number} ${Buffer.from(frame.body).toString("utf8", 0, 24)}`
    if (frame.kind === "again") return `${frame.number} again ${frame.of}`
    return frame.kind === "hole" ? `${frame.number}-${frame.through} ${frame.why}` : `${frame.number} end`
  })

export const allIn = (folder: string, last: number): ReadonlyArray<Frame> =>
  new Reader(folder).after(0, last, Infinity, Infinity)

/** Stores them as one process, and ends it. */
export const stored = (folder: string, ...groups: ReadonlyArray<ReadonlyArray<Incoming>>): number => {
  const writer = new Writer(folder, key)
  for (const group of groups) writer.receive(arrived(group))
  writer.close()
  return writer.last
}

export const some = (from: number, count: number, size = 40): ReadonlyArray<Incoming> =>
  Array.from({ length: count }, (_, n) => incoming(`body ${from + n} `.padEnd(size, "x")))

export const large = 3 * 1024 * 1024

/** A writer that rests: it no longer has in memory what knows these bodies. */
export const rested = (folder: string, bodies: ReadonlyArray<Incoming>): Writer => {
  const writer = new Writer(folder, key)
  writer.receive(arrived(bodies))
  while (writer.step());
  writer.rest()
  return writer
}
