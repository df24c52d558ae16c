/** The two files that say how the service names things; they are read even if nothing else is configured. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import * as Settings from "../../config/Settings.ts"
import { documented } from "../../config/WireFiles.ts"
import { temporaryFolder } from "../Folders.ts"

const file = (content: string) => {
  const path = join(temporaryFolder(), "value")
  writeFileSync(path, content)
  return path
}

const wire = (env: Readonly<Record<string, string>>) =>
  Effect.provide(Settings.wire, ConfigProvider.layer(ConfigProvider.fromUnknown(env)))

describe("the files of names and places", () => {
  it.effect("field aliases come from a JSON file, one name or several", () =>
    Effect.gen(function* () {
      const path = file(`{ "certified_amount": "net", "payment_reference": ["ref", "reference"] }`)
      assert.deepStrictEqual((yield* wire({ SITELEDGER_FIELD_ALIASES: path })).fieldAliases, {
        certified_amount: ["net"],
        payment_reference: ["ref", "reference"]
      })
    })
  )

  it.effect("the envelope's file adds paths to those of the interface document, and takes no unknown key", () =>
    Effect.gen(function* () {
      const path = file(`{ "delivery": ["event.object"], "list": { "data": "items", "total": "page.total" } }`)
      assert.deepStrictEqual((yield* wire({ SITELEDGER_ENVELOPE: path })).envelope, {
        ...documented,
        delivery: ["event.object", "data", "payload"],
        list: { ...documented.list, data: ["items", "data"], total: ["page.total", "pagination.total"] }
      })
      for (const text of [`{ "deliveries": "object" }`, `{ "list": { "size": "n" } }`, `{ "delivery": "" }`, "[]"]) {
        const { message } = yield* Effect.flip(wire({ SITELEDGER_ENVELOPE: file(text) }))
        assert.match(message, /SITELEDGER_ENVELOPE names a file that is not a JSON object of delivery, list/)
      }
    })
  )

  it.effect.each(["[]", `{ "amount": 1 }`, `{ "amount": [""] }`, "not json"])(
    "an alias file of %s is refused",
    (json) =>
      Effect.gen(function* () {
        const { message } = yield* Effect.flip(wire({ SITELEDGER_FIELD_ALIASES: file(json) }))
        assert.match(message, /SITELEDGER_FIELD_ALIASES names a file/)
      })
  )
})
