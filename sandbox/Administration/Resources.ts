/**
 * The catalogue's resources for scripts, under `/admin/api/resources`: which resources there are, every record of one
 * resource, edits of its records, and its faults. Only with `--openapi full`.
 */
import { Clock, Effect, Option, Schema } from "effect"
import type { Catalogue, Edits } from "../Catalogue.ts"
import * as CatalogueFaults from "../Catalogue/Faults.ts"
import type { Action, Given } from "./Actions.ts"
import type { Administered } from "./Administered.ts"
import type { View } from "./Api.ts"
import { root } from "./Page.ts"
import { Refused } from "./Refused.ts"

const small = new Refused({ status: 404, message: "the sandbox runs without --openapi full" })
const unknown = new Refused({ status: 404, message: "there is no such resource" })

const catalogueOf = ({ catalogue }: Administered): Effect.Effect<Catalogue, Refused> =>
  catalogue === undefined ? Effect.fail(small) : Effect.succeed(catalogue)

const withResource = (world: Administered, name: string): Effect.Effect<Catalogue, Refused> =>
  Effect.filterOrFail(
    catalogueOf(world),
    ({ names }) => names.includes(name),
    () => unknown
  )

const withFaulty = (world: Administered, name: string): Effect.Effect<Catalogue, Refused> =>
  Effect.filterOrFail(
    catalogueOf(world),
    ({ names }) => CatalogueFaults.mayFail(names, name),
    () => unknown
  )

const summary = ({ faults, truth }: Catalogue, name: string) => ({
  name,
  records: truth(name).length,
  fault: faults.of(name) ?? null
})

export const views: ReadonlyArray<readonly [path: `/${string}`, view: View]> = [
  [
    "/resources",
    (world) =>
      Effect.map(catalogueOf(world), (catalogue) => ({ data: catalogue.names.map((name) => summary(catalogue, name)) }))
  ],
  [
    "/resources/:id/truth",
    (world, _query, id) => Effect.map(withResource(world, id), ({ truth }) => ({ data: truth(id) }))
  ]
]

const Count = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100_000 }))
const Asked = Schema.Struct({
  inserts: Schema.optionalKey(Count),
  updates: Schema.optionalKey(Count),
  deletes: Schema.optionalKey(Count)
})

const editsIn = (given: Given): Effect.Effect<Edits, Refused> =>
  Effect.mapError(
    Schema.decodeUnknownEffect(Asked)(given),
    () => new Refused({ status: 400, message: "inserts, updates and deletes must be whole numbers up to 100000" })
  )

const done = (body: object, notice: string) => ({ status: 200 as const, body, notice, location: `${root}/faults` })

const edit: Action = {
  path: "/resources/:id/edits",
  run: Effect.fnUntraced(function* (world, id, given) {
    const catalogue = yield* withResource(world, id)
    catalogue.edit(id, yield* editsIn(given), yield* Clock.currentTimeMillis)
    return done(summary(catalogue, id), `The records of ${id} were edited.`)
  })
}

const noFault = new Refused({ status: 400, message: `fault must be one of ${CatalogueFaults.names.join(", ")}` })

const faultIn = (given: Given): Effect.Effect<CatalogueFaults.FaultName, Refused> => {
  const name = Option.getOrElse(Schema.decodeUnknownOption(Schema.String)(given["fault"]), () => "")
  return CatalogueFaults.isFaultName(name) ? Effect.succeed(name) : Effect.fail(noFault)
}

const setFault: Action = {
  path: "/resources/:id/fault",
  run: Effect.fnUntraced(function* (world, id, given) {
    const { faults } = yield* withFaulty(world, id)
    const fault = yield* faultIn(given)
    faults.set(id, fault)
    return done({ name: id, fault }, CatalogueFaults.describe(fault))
  })
}

const endFault: Action = {
  path: "/resources/:id/fault/off",
  run: Effect.fnUntraced(function* (world, id) {
    const { faults } = yield* withFaulty(world, id)
    faults.set(id, undefined)
    return done({ name: id, fault: null }, `${id} is as it should be.`)
  })
}

export const actions: ReadonlyArray<Action> = [edit, setFault, endFault]
