/**
 * The rows of a COPY are taken from the server's bytes to the last one, wherever the stream is split, and pg gets
 * everything else as it was sent; and rows of hostile text, as long as a chunk of a pipe or a socket or a little
 * longer, arrive unchanged.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Frames } from "../../../src/Stores/Postgres/Frames.ts"
import { CopyingClient } from "../../../src/Stores/Postgres/Guarded.ts"
import { makePipe, through } from "../../../src/Stores/Postgres/Staged.ts"
import { entityTable } from "../../../src/Stores/WarehouseTables.ts"
import { isLong, seed } from "../../Long.ts"
import * as Databases from "../../Postgres.ts"
import { seeded } from "../../Seeded.ts"
import { queryWithoutFile } from "../Reading.ts"
import { folder } from "../WarehouseEngines.ts"
import { database } from "./World.ts"

const message = (type: string, body: Buffer): Buffer => {
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** Reads bytes in pieces of these lengths, again and again; returns rows, and what pg gets. */
const readIn = (bytes: Buffer, lengths: ReadonlyArray<number>, isTaken = true) => {
  const others: Array<Buffer> = []
  const rows: Array<Buffer> = []
  const announced: Array<number> = []
  const frames = new Frames((some) => void others.push(Buffer.from(some)))
  const take = {
    begin: (length: number) => {
      announced.push(length)
      rows.push(Buffer.alloc(0))
    },
    add: (some: Buffer, from: number, to: number) =>
      void rows.push(Buffer.concat([rows.pop()!, some.subarray(from, to)]))
  }
  frames.take = isTaken ? take : undefined
  for (let at = 0, piece = 0; at < bytes.length; piece++) {
    const length = lengths[piece % lengths.length]!
    frames.read(bytes.subarray(at, at + length))
    at += length
  }
  return { rows, announced, others: Buffer.concat(others) }
}

it(`takes rows wherever the bytes are cut (SEED=${seed})`, () => {
  const random = seeded(seed).below
  for (let round = 0; round < (isLong ? 5000 : 300); round++) {
    const messages = Array.from({ length: 1 + random(12) }, () => {
      // Bodies look like the beginnings of other messages.
      const body = Buffer.from(Array.from({ length: random(9) }, () => [0x64, 0, 0, 4, 5, 0x43][random(6)]!))
      return { type: "ddddCDZNHc"[random(10)]!, body }
    })
    const bytes = Buffer.concat(messages.map(({ body, type }) => message(type, body)))
    const lengths = Array.from({ length: 5 }, () => 1 + random(round % 2 === 0 ? 3 : 40))
    const found = readIn(bytes, lengths)
    const rows = messages.filter(({ type }) => type === "d").map(({ body }) => body)
    assert.deepStrictEqual(found.rows, rows)
    assert.deepStrictEqual(
      found.announced,
      rows.map(({ length }) => length)
    )
    const others = messages.filter(({ type }) => type !== "d").map(({ body, type }) => message(type, body))
    assert.deepStrictEqual(found.others, Buffer.concat(others))
    assert.deepStrictEqual(readIn(bytes, lengths, false).others, bytes)
  }
})

it("refuses a message without a length", () => {
  assert.throws(() => readIn(Buffer.from("d\0\0\0\x03"), [1]), /a message without a length/)
})

const vos = entityTable("vos")
/** What is read from a socket at once, and written into a pipe. */
const pieces = [65_536, 262_144]
const hostile = ["\\", "\\N", "\t", "\n", "\r", '"', "'", "\ufeff", "𝄞", "é", "\u0001", "\\.", "a", "", "{}", "\\t"]

describe.skipIf(Databases.skipped !== undefined)("rows that a server sends", () => {
  it.live("are whole on such a connection if they aren't of a COPY, too", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const own = yield* database
        const rows = yield* Effect.promise(async () => {
          const client = new CopyingClient({ connectionString: own.url })
          await client.connect()
          const found = await client.query<{ text: string }>(
            "select repeat(n::text, 20000) as text from generate_series(1, 90) as n"
          )
          await client.end()
          return found.rows
        })
        assert.isTrue(rows.every(({ text }, place) => text === String(place + 1).repeat(20_000)))
        assert.lengthOf(rows, 90)
      })
    )
  )

  it.live(`arrive as they were (SEED=${seed})`, () =>
    Effect.scoped(
      Effect.gen(function* () {
        const random = seeded(seed).below
        const own = yield* database
        const path = yield* folder
        const texts = Array.from({ length: isLong ? 400 : 60 }, (_, place) => {
          const parts = Array.from({ length: random(40) }, () => hostile[random(hostile.length)]!).join("")
          if (place % 6 !== 0) return random(5) === 0 ? null : parts
          return parts + "x".repeat(Math.max(0, pieces[random(2)]! - Buffer.byteLength(parts) - random(30)))
        })
        const rows = yield* Effect.promise(async () => {
          const client = new CopyingClient({ connectionString: own.url })
          await client.connect()
          await client.query("create schema if not exists construction")
          await client.query("create table construction.vos (id text, description text)")
          for (const [place, text] of texts.entries())
            await client.query("insert into construction.vos values ($1, $2)", [String(place), text])
          const table = { ...vos, columns: vos.columns.filter(({ name }) => ["id", "description"].includes(name)) }
          const made = await through({ client, table, rest: "" }, await makePipe(path), async (source) => {
            const found = await queryWithoutFile(
              `select id::int as id, hex(description) as hex from (${source}) order by 1`
            )
            return { made: found, rows: found.length }
          })
          await client.end()
          return made
        })
        assert.deepStrictEqual(
          rows.map(({ hex }) => hex),
          texts.map((text) => text && Buffer.from(text).toString("hex").toUpperCase())
        )
      })
    )
  )
})
