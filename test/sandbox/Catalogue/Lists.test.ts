/**
 * Each way of paging, read to its end over HTTP, gives exactly the records that the sandbox knows, in their order; also
 * after records were added, changed and removed.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { areas } from "../../../sandbox/Catalogue/Areas.ts"
import * as Table from "../../../sandbox/Catalogue/Table.ts"
import * as Json from "../../../src/Domain/Json.ts"
import { some } from "../../Long.ts"
import { started } from "./Started.ts"
import { pageOf, takes, walk } from "./Walked.ts"

type World = Effect.Success<ReturnType<typeof started>>

const resources = Table.read(areas)
const text = (rows: ReadonlyArray<unknown>) => rows.map((row) => Json.stringify(row))

type Fields = Readonly<Record<string, unknown>>

const differing = (before: Fields, after: Fields): ReadonlyArray<string> =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => Json.stringify(before[name] ?? null) !== Json.stringify(after[name] ?? null)
  )

/** Every list of a resource below its parents that has a record. */
const compared = Effect.fnUntraced(function* (world: World, resource: string, size: number) {
  const lists = Map.groupBy(world.catalogue.truth(resource), ({ list }) => list)
  let pages = 0
  for (const [list, truth] of lists) {
    const walked = yield* walk(world, list, size)
    assert.deepStrictEqual(text(walked.rows), text(truth.map(({ listed }) => listed)), list)
    pages = Math.max(pages, walked.pages)
  }
  return pages
})

describe("Every list of the catalogue", () => {
  for (const paging of Table.pagings) {
    it.effect(`that is paged by ${paging} has exactly the records that there are`, () =>
      Effect.gen(function* () {
        const world = yield* started({ records: 30, projects: 2 })
        const those = resources.filter((each) => each.paging === paging)
        assert.isAtLeast(those.length, 8)
        const pages: Array<number> = []
        for (const { name } of those) {
          pages.push(yield* compared(world, name, 4))
          assert.strictEqual(world.catalogue.truth(name).length, 30, name)
        }
        if (paging === "whole") assert.strictEqual(Math.max(...pages), 1)
        else assert.isAtLeast(Math.max(...pages), 5)
      }).pipe(Effect.provide(NodeHttpClient.layerUndici))
    )
  }

  it.effect("of all parents has the records of each", () =>
    Effect.gen(function* () {
      const world = yield* started({ records: 60, projects: 4 })
      for (const { name, segment } of resources.filter(({ isAlsoAlone }) => isAlsoAlone)) {
        const { rows } = yield* walk(world, `/${segment}`, 9)
        assert.sameMembers(text(rows), text(world.catalogue.truth(name).map(({ listed }) => listed)), name)
      }
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("is the truth again after records came, changed and went", () =>
    Effect.gen(function* () {
      const world = yield* started({ records: 40, projects: 2 })
      const { catalogue } = world
      let changedFields = 0
      for (const { name } of some(resources, 30)) {
        const before = new Map(catalogue.truth(name).map(({ item, single }) => [item, single]))
        catalogue.edit(name, { inserts: 5, updates: 1 }, Date.UTC(2026, 5, 1))
        const after = new Map(catalogue.truth(name).map(({ item, single }) => [item, single]))
        assert.strictEqual(after.size, before.size + 5, name)
        const changed = [...before].map(([item, record]) => differing(record, after.get(item) ?? {}))
        const [fields = [], ...others] = changed.filter((fields) => fields.length > 0)
        assert.isEmpty(others, name)
        assert.isAtMost(fields.length, 1 + Object.keys(catalogue.truth(name)[0]?.single ?? {}).length / 2, name)
        if (fields.some((field) => !/^(updated|modified)_at$/.test(field))) changedFields++
        yield* compared(world, name, 11)
        catalogue.edit(name, { deletes: 2 }, Date.UTC(2026, 5, 2))
        assert.strictEqual(catalogue.truth(name).length, before.size + 3, name)
        yield* compared(world, name, 11)
      }
      assert.isAtLeast(changedFields, 10)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("has pages of the largest size at the most, whatever is asked for", () =>
    Effect.gen(function* () {
      const world = yield* started({ records: 60, projects: 1, pageSizeMax: 20 })
      for (const [path, most] of [
        ["/companies?per_page=50", 20],
        ["/users?per_page=50", 20],
        ["/rfis?limit=50", 20],
        ["/teams?limit=50", 20]
      ] as const) {
        assert.lengthOf(pageOf(yield* world.get(path)).rows, most, path)
      }
      world.sandbox.faults.set("page-size-clamp", 3)
      for (const path of ["/companies?per_page=50", "/rfis?limit=50", "/teams?limit=50"]) {
        const { facts, rows } = pageOf(yield* world.get(path))
        assert.lengthOf(rows, 3, path)
        assert.strictEqual(facts["per_page"] ?? facts["limit"] ?? 3, 3)
      }
      const { rows } = yield* walk(world, "/rfis", 50)
      assert.lengthOf(rows, 60)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("can be asked for what was changed since a time, where it takes the parameter, in its form", () =>
    Effect.gen(function* () {
      const world = yield* started({ records: 40, projects: 2 })
      const { catalogue, get, operations } = world
      const changedMs = Date.parse("2026-02-02T00:00:00.001Z")
      /** With the last value that leaves the change out, and the first wrong one. */
      const filters = {
        updated_since: ["2026-02-02T00:00:00.000Z", "2026-02-02T00:00:00.002Z", "yesterday"],
        changed_since: ["1769990400", "1769990401", "1.5"],
        // The day itself is left out.
        modified_after: ["2026-02-01", "2026-02-02", "2026-02-01T00:00:00Z"]
      } as const
      const asked = new Map<string, number>()
      for (const { operation, path } of operations) {
        const text = JSON.stringify(operation.parameters)
          .replaceAll(/(?<=[a-z])([A-Z])/g, "_$1")
          .toLowerCase()
        const name = (["updated_since", "changed_since", "modified_after"] as const).find((each) => text.includes(each))
        if (name === undefined || path.includes("{")) continue
        const isThere = ({ isAlsoAlone, parent, segment }: Table.Resource) =>
          path === `/${segment}` && (isAlsoAlone || parent === undefined)
        const { name: resource } = resources.find(isThere) ?? assert.fail(path)
        const [shows, without, wrong] = filters[name]
        assert.isEmpty(pageOf(yield* get(`${path}?${name}=${shows}`)).rows, path)
        catalogue.edit(resource, { inserts: 1, updates: 2 }, changedMs)
        const updated = ({ single }: { readonly single: Readonly<Record<string, unknown>> }) =>
          String(single["updated_at"] ?? single["modified_at"])
        const expected = catalogue.truth(resource).filter((record) => updated(record) > "2026-02-02T00:00:00.000Z")
        assert.isAtLeast(expected.length, 2, path)
        const { rows } = pageOf(yield* get(`${path}?${name}=${shows}`))
        assert.deepStrictEqual(rows.length, expected.length, path)
        assert.isEmpty(pageOf(yield* get(`${path}?${name}=${without}`)).rows, `${path} ${name}`)
        const { status } = yield* get(`${path}?${name}=${wrong}`)
        assert.strictEqual(status, 400)
        asked.set(name, (asked.get(name) ?? 0) + 1)
      }
      assert.isAtLeast(asked.get("updated_since") ?? 0, 5)
      assert.isAtLeast(asked.get("changed_since") ?? 0, 1)
      assert.isAtLeast(asked.get("modified_after") ?? 0, 1)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("can be asked for a status, where it takes the parameter, and counts by status", () =>
    Effect.gen(function* () {
      const world = yield* started({ records: 40, projects: 2 })
      const { catalogue, get } = world
      let asked = 0
      for (const { does, isAlsoAlone, name, parent, segment } of resources) {
        const byStatus = Map.groupBy(catalogue.truth(name), ({ single }) => String(single["status"]))
        if ((parent === undefined || isAlsoAlone) && takes(world, `/${segment}`, "status")) {
          for (const [status, expected] of byStatus) {
            const { rows } = pageOf(yield* get(`/${segment}?status=${status}`))
            assert.deepStrictEqual(text(rows), text(expected.map(({ listed }) => listed)), `${name} ${status}`)
            asked++
          }
        }
        if (!does.includes("statistics")) continue
        const counts = Object.fromEntries([...byStatus].map(([status, { length }]) => [status, length]))
        const answer = yield* get(`/statistics/${segment}`)
        assert.deepStrictEqual(JSON.parse(answer.text), { total: 40, by_status: counts }, name)
        asked++
      }
      assert.isAtLeast(asked, 12)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("keeps a cursor right while records before it are removed", () =>
    Effect.gen(function* () {
      const world = yield* started({ records: 60, projects: 1 })
      const { catalogue } = world
      const gone = new Set<string>()
      const whole = catalogue.truth("rfis").map(({ listed }) => String(listed["id"]))
      const { rows } = yield* walk(world, "/rfis", 10, () => {
        const before = catalogue.truth("rfis").map(({ listed }) => String(listed["id"]))
        catalogue.edit("rfis", { deletes: 1 }, 0)
        const after = new Set(catalogue.truth("rfis").map(({ listed }) => String(listed["id"])))
        for (const id of before) if (!after.has(id)) gone.add(id)
      })
      const seen = rows.map(({ id }) => String(id))
      assert.strictEqual(new Set(seen).size, seen.length)
      for (const id of whole) if (!gone.has(id)) assert.include(seen, id)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})
