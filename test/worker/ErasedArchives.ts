/** A world in which a person is in archived months, what a reader of archives finds there, and copies of theirs from elsewhere. */
import { createSecretKey, hash, type KeyObject } from "node:crypto"
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { keyIn as dataDirKey } from "../../src/Runtime/Seal.ts"
import { type Archive, linkTo, opened, sealed } from "../../src/Stores/Archives/Archive.ts"
import * as ArchiveFile from "../../src/Stores/Archives/ArchiveFile.ts"
import { decode, encode, type Frame, headBytes } from "../../src/Stores/Segments/Frame.ts"
import { derived, keyOf } from "../../src/Stores/Segments/Key.ts"
import { Writer } from "../../src/Stores/Segments/Writer.ts"
import { exactNumber } from "../InterfaceServer.ts"
import { eventBody } from "../InterfaceServer/Events.ts"
import { filesBelow } from "../Marked.ts"
import { arrived } from "../Stores/Segments/World.ts"
import { at, isDone, permit, person } from "./ErasedWorld.ts"
import { World } from "./World.ts"

const monthMs = 31 * 24 * 3_600_000

interface Old {
  readonly ago: number
  readonly type: string
  readonly fields?: Readonly<Record<string, unknown>>
  readonly headers?: ReadonlyArray<string>
  readonly body?: Uint8Array
}

const first = { ago: 6, type: "vo.created", fields: { ...at, vo_id: 1, description: "d", requested_by: person } }

/** Four old months, the third of which has nothing of the person; then one of the last days, which stays. */
export const old: ReadonlyArray<Old> = [
  first,
  { ago: 6, type: "ncr.created", fields: { ...at, ncr_id: 1, severity: "high" } },
  { ago: 6, type: "permit.issued", body: gzipSync(eventBody("permit.issued", permit)) },
  // The same once more, with the person in a header alone.
  { ...first, headers: ["X-Service-Sent-By", person] },
  { ago: 5, type: "vo.created", fields: { ...at, vo_id: 2, description: `Asked by ${person}.` } },
  { ago: 5, type: "ipc.submitted", fields: { ...at, ipc_id: 1, submitter: person, amount: 5 } },
  {
    ago: 5,
    type: "ipc.certified",
    fields: { ...at, ipc_id: 1, certified_amount: exactNumber("118750.10"), certificate_url: "https://s.example/1.pdf" }
  },
  {
    ago: 5,
    type: "ipc.paid",
    fields: { ...at, ipc_id: 1, payment_reference: "PAY-1", payer: { name: person, email: "zoe@example.org" } }
  },
  { ago: 5, type: "ncr.created", body: Buffer.from(`not JSON, of ${person}`) },
  { ago: 4, type: "ncr.created", fields: { ...at, ncr_id: 2, severity: "low" } },
  { ago: 3, type: "vo.created", fields: { ...at, vo_id: 3, description: "d", requested_by: person } },
  { ago: 0, type: "vo.created", fields: { ...at, vo_id: 4, description: "d", requested_by: person } }
]

/** What has arrived since then isn't old. */
export const young = (): string => `${new Date(Date.now() - 2 * monthMs).toISOString().slice(0, -1)}000Z`

/** Bodies, each once, that have the person. */
export const having = { bodies: 8, withinLonger: 1 }

/** As the service would send it again. */
export const again = { type: first.type, id: "old-0", fields: first.fields }

/** As a worker of the last half year has left them, which applied none. */
const fillInbox = (dataDir: string): void => {
  const folder = join(dataDir, "inbox")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const writer = new Writer(folder, keyOf(folder, derived(Effect.runSync(dataDirKey(dataDir)))))
  const months = old.map(({ ago, body, fields, headers = [], type }, place) => {
    const bytes = body ?? Buffer.from(eventBody(type, fields))
    const received = new Date(Date.now() - ago * monthMs + place).toISOString()
    return {
      body: bytes,
      bodySha256: hash("sha256", bytes, "buffer"),
      labels: {
        eventId: `old-${place}`,
        headerType: type,
        issuedAt: null,
        receivedAt: `${received.slice(0, -1)}000Z`,
        headers: ["X-Service-Event-Id", `old-${place}`, ...headers],
        secret: "f".repeat(16)
      }
    }
  })
  writer.receive(arrived(months))
  writer.close()
}

/** They are applied, and none has left yet: a slow machine applies them before the first worker looks for old ones. */
export const openApplied = async (): Promise<World> => {
  const world = await World.open({ projects: 3 }, { SITELEDGER_ARCHIVE_AFTER: "2 months" })
  fillInbox(world.dataDir)
  const worker = world.start({ SITELEDGER_ARCHIVE_AFTER: "100 months" })
  await worker.live()
  await worker.status("all are applied", isDone)
  assert.strictEqual((await worker.stop()).code, 0)
  return world
}

export const openArchived = async (): Promise<World> => {
  const world = await openApplied()
  const next = world.start()
  await next.status("they have left", ({ inbox }) => inbox.archived === old.length - 1)
  await next.live()
  await next.verb("export")
  assert.strictEqual((await next.stop()).code, 0)
  return world
}

export const keyIn = (dataDir: string): KeyObject =>
  createSecretKey(readFileSync(join(dataDir, "inbox/key"), "latin1").trim(), "hex")

export const placesIn = (dataDir: string): ReadonlyArray<string> => [
  join(dataDir, "archive"),
  join(dataDir, "lake/_archive")
]

/** The sealed archives of a place, in the order of their names: each with its frames. Fails where one isn't whole. */
export const readAll = async (place: string, key: KeyObject) => {
  const documents = filesBelow(place)
    .filter((path) => path.endsWith(".json"))
    .toSorted()
  return Promise.all(
    documents.map(async (path) => {
      const text = readFileSync(path, "utf8")
      const archive = opened(text, key)
      assert.isDefined(archive, `${path} is sealed`)
      const file = path.replace(/json$/, "parquet")
      assert.strictEqual(await ArchiveFile.digestOf(file), archive.sha256)
      assert.strictEqual(statSync(file).size, archive.bytes)
      const frames = (await ArchiveFile.read(file, key)).map(decode)
      return { archive, frames, sha256: hash("sha256", text) }
    })
  )
}

/** Each number that some sealed pair in a place holds whole, under whatever names: what a crash has left may be told. */
export const heldIn = async (place: string, key: KeyObject): Promise<ReadonlyArray<number>> => {
  const numbers = new Set<number>()
  const files = filesBelow(place)
  const sums = new Map<string, string>()
  for (const path of files) if (path.includes(".parquet")) sums.set(await ArchiveFile.digestOf(path), path)
  for (const path of files.filter((each) => each.includes(".json"))) {
    const archive = opened(readFileSync(path, "utf8"), key)
    const file = archive && sums.get(archive.sha256)
    if (file === undefined) continue
    for (const content of await ArchiveFile.read(file, key)) numbers.add(decode(content).number)
  }
  return [...numbers].toSorted((a, b) => a - b)
}

/** An archive of an inbox before this one, as a restored store has it: under this key, or another. */
export const plant = async (
  place: string,
  inbox: string,
  key: KeyObject,
  bodies: ReadonlyArray<string>,
  before?: Archive
): Promise<Archive> => {
  const number = (before?.through ?? 0) + 1
  const name = `${inbox}/2025-0${before === undefined ? 1 : 2}-${String(number).padStart(15, "0")}`
  const file = join(place, `${name}.parquet`)
  const frames = bodies.map((body, index): Frame => ({
    kind: "first",
    number: number + index,
    body: Buffer.from(body),
    labels: {
      eventId: `before-${number + index}`,
      headerType: "vo.created",
      issuedAt: null,
      receivedAt: "2025-01-05T00:00:00.000000Z",
      headers: [],
      secret: null
    }
  }))
  await ArchiveFile.write(
    file,
    frames.map((frame) => encode(frame, key).subarray(headBytes))
  )
  const archive = {
    name,
    first: number,
    through: number + bodies.length - 1,
    deliveries: bodies.length,
    bytes: statSync(file).size,
    sha256: await ArchiveFile.digestOf(file),
    before: before === undefined ? null : linkTo(before, key)
  }
  writeFileSync(join(place, `${name}.json`), sealed(archive, key))
  return archive
}

export const anotherKey = createSecretKey(derived(Buffer.alloc(32, 9)))
