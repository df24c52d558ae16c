import { assert, describe, it } from "@effect/vitest"
import { merge } from "../../../src/Domain/Merge.ts"
import { resources } from "../../../src/Domain/Resource.ts"
import { forSeeds } from "../../Seeded.ts"
import { applied, contentOf, envelopes, flat, read, types, assertQuarantined } from "./Bodies.ts"

const bytes = (text: string) => new TextEncoder().encode(text)
const paid = flat(contentOf("ipc.paid"))

describe("bytes", () => {
  it("that aren't UTF-8 wait", () => {
    for (const bad of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0xf5, 0x80, 0x80, 0x80]]) {
      const body = new Uint8Array([...bytes(`${paid.slice(0, -1)},"x":"`), ...bad, ...bytes('"}')])
      assertQuarantined(read(body, "ipc.paid"), "not-utf8")
    }
    assertQuarantined(read(new Uint8Array([0xfe, 0xff, 0x00, 0x7b, 0x00, 0x7d])), "not-utf8")
  })

  it("that aren't JSON wait under the header's type", () => {
    for (const body of ["", " ", "{", "ipc_id=1", "<ipc/>", `${paid}${paid}`, `${paid}\u0000`, paid.slice(0, -1)]) {
      assertQuarantined(read(body, "ipc.paid"), "not-json", body)
      assert.deepInclude(read(body, "ipc.paid"), {
        type: "ipc.paid",
        relabelled: false,
        entity: null,
        eventTimestamp: null
      })
      assert.isNull(read(body).type)
    }
  })

  it("that aren't a JSON object wait", () => {
    for (const body of ["[]", `[${paid}]`, "null", "1", "1.0", '"x"', "true"])
      assertQuarantined(read(body), "not-an-object", body)
  })

  it("may begin with a byte order mark and hold white space", () => {
    for (const type of types) applied(read(`\ufeff \r\n${flat(contentOf(type))}\n`), type)
    applied(read(paid.replaceAll('":', '" :\t').replaceAll(',"', '\n,"')), "ipc.paid")
  })

  it("may hold half a surrogate pair or a NUL, which never reach an engine", () => {
    const reading = read(
      flat({ ipc_id: '"\\ud800"', payment_reference: '"a\\udfff"', "\\x": "1" }).replace('"\\\\x"', '"k\\udc00"')
    )
    const change = applied(reading, "ipc.paid")
    assert.strictEqual(change.id, "\ufffd")
    assert.strictEqual(change.values["payment_reference"], "a\ufffd")
    assert.deepEqual({ ...change.extra }, { "k\ufffd": "1" })
    const row = merge(resources.ipcs, undefined, [change])
    assert.isFalse(Object.values(row ?? {}).some((text) => /\\u[dD][89a-f]/.test(text ?? "")))
    assert.strictEqual(applied(read(flat({ ipc_id: '"a\\u0000"', payment_reference: "1" })), "ipc.paid").id, "a\0")
  })

  it("that nest too deeply wait; less deep ones are kept through the row", () => {
    const nested = (depth: number) => `${"[".repeat(depth)}1.0${"]".repeat(depth)}`
    for (const depth of [500, 3000, 100_000]) {
      assertQuarantined(read(flat({ ipc_id: "1", payment_reference: '"r"', x: nested(depth) })), "not-json")
      assertQuarantined(read(flat({ ipc_id: "1", payment_reference: nested(depth) })), "not-json")
    }
    const misfit = applied(read(flat({ ipc_id: "1", payment_reference: nested(499) })), "ipc.paid")
    const other = applied(read(flat({ ipc_id: "1", payment_reference: '"r"', x: nested(499) })), "ipc.paid")
    for (const [first, second] of [
      [misfit, other],
      [other, misfit]
    ] as const) {
      const stored = merge(resources.ipcs, merge(resources.ipcs, undefined, [first]), [second])
      assert.include(stored?.["_extra"] ?? "", `"x":${nested(499)}`)
    }
  })

  it("never make the reader throw", () => {
    forSeeds(20_000, (random) => {
      const text = random.pick(Object.values(envelopes))(contentOf(random.pick(types)))
      const body = bytes(text)
      for (let count = 1 + random.below(3); count > 0; count--) {
        body[random.below(body.length)] = random.chance(0.5)
          ? random.below(256)
          : random.pick([...bytes('"{}[],:\\0e-.')])
      }
      const reading = read(random.chance(0.2) ? body.slice(0, random.below(body.length)) : body, random.pick(types))
      assert.isTrue(reading.change !== undefined || reading.reason !== null, text)
    })
  })
})
