/**
 * Discovery of the stand-in's 854 operations, whose truth is known: the kind of each operation, and the key, parent and
 * paging of each list.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { areas } from "../../sandbox/Catalogue/Areas.ts"
import * as Table from "../../sandbox/Catalogue/Table.ts"
import { started } from "../sandbox/Catalogue/Started.ts"
import { discovered } from "./Documents.ts"

const resources = new Map(Table.read(areas).map((resource) => [resource.name, resource]))

interface Told {
  readonly method: string
  readonly path: string
  readonly verb: string
}

const kindOf = ({ method, path, verb }: Told): string => {
  if (method !== "GET") return "action"
  // Look-ups list words, which are no records.
  if ((verb === "list" || verb === "list_all") && !path.startsWith("/lookups/")) {
    return path.includes("{") ? "child list" : "list"
  }
  return verb === "get" && path.endsWith("}") ? "detail" : "not syncable"
}

/** Links by number are asked for by number, too. */
const styles = { page: "page", more: "page", link: "page", cursor: "cursor", offset: "offset", whole: "none" } as const

it.effect("the kind of each operation is right, and the key, parent and paging of each list", () =>
  Effect.gen(function* () {
    const { catalogue, document } = yield* started()
    const { operations, review } = discovered(document)
    const found = new Map(operations.map(({ kind, operation }) => [operation, kind]))
    const wrong = catalogue.operations.flatMap((each) => {
      const name = `${each.method} ${each.path}`
      return found.get(name) === kindOf(each) ? [] : [`${name} is ${kindOf(each)}, not ${found.get(name)}`]
    })
    // Each row of this report has the id of a project, so it could be one: with low confidence.
    assert.deepStrictEqual(wrong, ["GET /reports/portfolio is not syncable, not list"])
    assert.strictEqual(review.lists.find(({ table }) => table === "reports_portfolio")?.confidence, "low")
    const lists = new Map(review.lists.map((list) => [list.read, list]))
    let compared = 0
    for (const { method, object, path, verb } of catalogue.operations) {
      const resource = resources.get(object)
      if (resource === undefined || method !== "GET" || !["list", "list_all"].includes(verb)) continue
      const list = lists.get(`GET ${path}`)
      const { id, paging, parent } = resource
      assert.strictEqual(list?.paging.style, styles[paging], path)
      assert.strictEqual(list?.key.at(-1), id.name, path)
      if (id.kind === "local") assert.isAbove(list?.key.length ?? 0, 1, path)
      if (path.includes("{")) assert.match(list?.parent?.table ?? "", new RegExp(`(^|_)${parent}$`), path)
      compared++
    }
    assert.strictEqual(compared, 120)
  }).pipe(Effect.provide(NodeHttpClient.layerUndici))
)
