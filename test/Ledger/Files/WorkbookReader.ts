/**
 * Reads a workbook with different code from its writer's: Effect's Zip and Xml, which are strict, and the directory of
 * the zip by hand. Cells are returned as the numbers, dates and texts that a spreadsheet shows.
 */
import { assert } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { Xml, Zip } from "effect/encoding"

export interface Cell {
  readonly type: "text" | "number"
  /** Unescaped text, or the digits as they are stored. */
  readonly value: string
  /** The code of its number format. */
  readonly format: string
}

export interface Sheet {
  readonly name: string
  /** By the heading of the column. */
  readonly rows: ReadonlyArray<Readonly<Record<string, Cell>>>
  readonly events: ReadonlyArray<Xml.Event>
}

/** What the directory says of the parts is where they are, and its counts are right. */
const checkDirectory = (bytes: Buffer): void => {
  const end = bytes.length - 22
  assert.strictEqual(bytes.readUInt32LE(end), 0x06054b50)
  const count = bytes.readUInt16LE(end + 10)
  const [size, start] = [bytes.readUInt32LE(end + 12), bytes.readUInt32LE(end + 16)]
  assert.strictEqual(start + size, end)
  let at = start
  for (let part = 0; part < count; part++) {
    assert.strictEqual(bytes.readUInt32LE(at), 0x02014b50)
    const length = bytes.readUInt16LE(at + 28)
    const name = bytes.subarray(at + 46, at + 46 + length)
    const local = bytes.readUInt32LE(at + 42)
    assert.strictEqual(bytes.readUInt32LE(local), 0x04034b50)
    assert.isTrue(bytes.subarray(local + 30, local + 30 + length).equals(name))
    const packed = bytes.readUInt32LE(at + 20)
    const descriptor = local + 30 + length + packed
    assert.strictEqual(bytes.readUInt32LE(descriptor), 0x08074b50)
    assert.isTrue(bytes.subarray(descriptor + 4, descriptor + 16).equals(bytes.subarray(at + 16, at + 28)))
    at += 46 + length
  }
  assert.strictEqual(at, end)
}

const partsOf = (bytes: Buffer) =>
  Stream.make(new Uint8Array(bytes)).pipe(
    Stream.pipeThroughChannel(Zip.decode()),
    Stream.mapEffect(({ body, header }) =>
      Effect.map(Stream.mkString(Stream.decodeText(body)), (text) => [header.path, text] as const)
    ),
    Stream.runCollect,
    Effect.map((parts) => new Map(parts))
  )

const eventsOf = (text: string) =>
  Stream.make(text).pipe(Stream.pipeThroughChannel(Xml.decodeString({ maxTokenSize: 2 ** 24 })), Stream.runCollect)

type Element = Extract<Xml.Event, { readonly _tag: "StartElement" }>

const elements = (events: ReadonlyArray<Xml.Event>, name: string): ReadonlyArray<Element> =>
  events.filter((event): event is Element => event._tag === "StartElement" && event.name === name)

/** As the standard's type ST_Xstring. */
const unescaped = (text: string): string =>
  text.replace(/_x([0-9a-fA-F]{4})_/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))

const builtIn: Readonly<Record<string, string>> = { "1": "0", "49": "@" }

const formatsOf = (events: ReadonlyArray<Xml.Event>): ReadonlyArray<string> => {
  const own = new Map(
    elements(events, "numFmt").map(({ attributes: { formatCode, numFmtId } }) => [numFmtId, formatCode])
  )
  // The first is of the style that all others are based on.
  const [, ...styles] = elements(events, "xf")
  return styles.map(
    ({ attributes: { numFmtId = "" } }) => own.get(numFmtId) ?? builtIn[numFmtId] ?? assert.fail(numFmtId)
  )
}

const cellsOf = (events: ReadonlyArray<Xml.Event>, formats: ReadonlyArray<string>) => {
  const rows: Array<Record<string, Cell>> = []
  let [column, cell] = ["", undefined as Element | undefined]
  let value = ""
  for (const event of events) {
    if (event._tag === "StartElement" && event.name === "row") {
      rows.push({})
      assert.strictEqual(event.attributes["r"], String(rows.length))
    } else if (event._tag === "StartElement" && event.name === "c") {
      ;[cell, value] = [event, ""]
      column = /^([A-Z]+)(\d+)$/.exec(event.attributes["r"] ?? "")?.[1] ?? ""
    } else if (event._tag === "StartElement" && event.name === "f") assert.fail("a formula")
    else if (event._tag === "Text" && cell !== undefined) value += event.text
    else if (event._tag === "EndElement" && event.name === "c" && cell !== undefined) {
      const { s = "", t } = cell.attributes
      const type = t === "inlineStr" ? ("text" as const) : ("number" as const)
      Object.assign(rows.at(-1) ?? {}, {
        [column]: { type, value: type === "text" ? unescaped(value) : value, format: formats[Number(s)] }
      })
      cell = undefined
    }
  }
  return rows
}

/** In the order of the workbook. */
export const readWorkbook = (bytes: Buffer) =>
  Effect.gen(function* () {
    checkDirectory(bytes)
    const parts = yield* partsOf(bytes)
    const part = (name: string) => eventsOf(parts.get(name) ?? assert.fail(`no part ${name}`))
    for (const { attributes } of elements(yield* part("[Content_Types].xml"), "Override")) {
      assert.isTrue(parts.has(attributes["PartName"]?.slice(1) ?? ""))
    }
    const targets = new Map(
      elements(yield* part("xl/_rels/workbook.xml.rels"), "Relationship").map(({ attributes: { Id, Target } }) => [
        Id,
        Target
      ])
    )
    const formats = formatsOf(yield* part("xl/styles.xml"))
    return yield* Effect.forEach(elements(yield* part("xl/workbook.xml"), "sheet"), ({ attributes }) =>
      Effect.gen(function* () {
        const events = yield* part(`xl/${targets.get(attributes["r:id"])}`)
        const [heading = {}, ...rows] = cellsOf(events, formats)
        const named = rows.map((cells) =>
          Object.fromEntries(Object.entries(cells).map(([column, cell]) => [heading[column]?.value ?? "", cell]))
        )
        return { name: attributes["name"] ?? "", rows: named, events } satisfies Sheet
      })
    )
  })
