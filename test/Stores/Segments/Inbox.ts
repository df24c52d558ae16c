/** The inbox beside a Store's file, as its segments hold it: also while a worker writes it. */
import { createSecretKey, hash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Frame, First } from "../../../src/Stores/Segments/Frame.ts"
import { folderOf } from "../../../src/Stores/Segments/Open.ts"
import { listed, nameOf, scan } from "../../../src/Stores/Segments/Segment.ts"

export const framesOf = (store: string): ReadonlyArray<Frame> => {
  const folder = folderOf(store)
  if (!existsSync(join(folder, "key"))) return []
  const key = createSecretKey(readFileSync(join(folder, "key"), "latin1").trim(), "hex")
  return listed(folder).flatMap((first) => scan(readFileSync(join(folder, nameOf(first))), key).frames)
}

/** As rows of the Store's table, with what the files alone say. */
export const inboxOf = (store: string) => {
  const frames = framesOf(store)
  const again = Map.groupBy(frames, (frame) => (frame.kind === "again" ? frame.of : 0))
  return frames
    .filter((frame): frame is First => frame.kind === "first")
    .map(({ body, labels, number }) => ({
      sequence: number,
      body: Buffer.from(body),
      body_sha256: hash("sha256", body, "buffer"),
      event_id: labels.eventId,
      header_type: labels.headerType,
      issued_at: labels.issuedAt,
      received_at: labels.receivedAt,
      headers: JSON.stringify(labels.headers),
      secret: labels.secret,
      deliveries: 1 + (again.get(number)?.length ?? 0)
    }))
}
