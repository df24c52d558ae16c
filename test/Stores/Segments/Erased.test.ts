/**
 * A body from which an erasure has removed something is still recognised by its original: in segments, and in a Store's
 * table and back.
 */
import { hash } from "node:crypto"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, it } from "@effect/vitest"
import { type First, sha256Of } from "../../../src/Stores/Segments/Frame.ts"
import * as Rows from "../../../src/Stores/Segments/Rows.ts"
import { Writer } from "../../../src/Stores/Segments/Writer.ts"
import { makeStore } from "../../worker/MoveWorld.ts"
import { arrived, incoming, key, withFolder, withFolderAsync } from "./World.ts"

const came = incoming('{"a":"Ada Lovelace"}', "one")
const sha256 = hash("sha256", came.body, "hex")
const left: First = {
  kind: "first",
  number: 1,
  body: Buffer.from('{"a":"[erased]"}'),
  labels: { ...came.labels, erased: sha256 }
}

it("a redelivery of what came is known, also when the index is learnt again; what is left of it is another body", () =>
  withFolder((folder) => {
    const writer = new Writer(folder, key)
    writer.put([left])
    assert.strictEqual(writer.receive(arrived([came])).fresh, 0)
    writer.close()
    rmSync(join(folder, "known"), { recursive: true })
    const again = new Writer(folder, key)
    assert.strictEqual(again.receive(arrived([came])).fresh, 0)
    assert.strictEqual(again.receive(arrived([incoming(left.body)])).fresh, 1)
    again.close()
  }))

it("a backup's table, or a moved store's, has the hash of what came, and gives it back", () =>
  withFolderAsync(async (folder) => {
    const path = join(folder, "store.sqlite")
    await makeStore(path, "")
    const database = new DatabaseSync(path)
    const whole: First = { ...left, number: 2, body: came.body, labels: { ...came.labels, eventId: "two" } }
    Rows.writeFrames(database, [left])
    const row = database.prepare("select body_sha256, body from inbox").get() as Record<string, Uint8Array>
    assert.strictEqual(Buffer.from(row["body_sha256"]!).toString("hex"), sha256)
    // The same body is there already.
    Rows.writeFrames(database, [whole])
    const [back, ...others] = Rows.read(database, 0)
    assert.lengthOf(others, 0)
    assert.strictEqual(back?.labels.erased, sha256)
    assert.strictEqual(sha256Of(back!).toString("hex"), sha256)
    database.close()
  }))
