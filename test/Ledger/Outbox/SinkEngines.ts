/** Tests of the outbox on each engine, with stores that are opened again at each start of a worker. */
import { it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import * as Databases from "../../Postgres.ts"
import { database, storesAt } from "../../Stores/Postgres/World.ts"
import { folder } from "../Started.ts"
import { type Accounts, accounts, sending, type Services, type Start, unsending } from "./SinkWorld.ts"

interface Engine {
  readonly name: string
  readonly isSkipped: boolean
  /** None: files in the folder of the test. */
  readonly stores: Effect.Effect<Pick<Start, "stores">, never, Scope.Scope>
}

export const engines: ReadonlyArray<Engine> = [
  { name: "SQLite", isSkipped: false, stores: Effect.succeed({}) },
  {
    name: "PostgreSQL",
    isSkipped: Databases.skipped !== undefined,
    stores: Effect.map(database, ({ url }) => ({ stores: storesAt(url) }))
  }
]

/** One start of a worker; undefined: without an accounting system. */
type World = (start: Start | undefined) => <A, E>(body: Effect.Effect<A, E, Services>) => Effect.Effect<A, unknown>

type Test = (name: string, body: (world: World, to: Accounts) => Effect.Effect<unknown, unknown, Scope.Scope>) => void

export const testOn =
  ({ isSkipped, stores }: Engine): Test =>
  (name, body) =>
    it.live.skipIf(isSkipped)(name, () =>
      Effect.scoped(
        Effect.gen(function* () {
          const [path, to, own] = yield* Effect.all([folder, accounts, stores])
          const world: World = (start) => (inside) =>
            start === undefined
              ? unsending(path, inside, undefined, own)
              : sending(path, to, { ...start, ...own }, inside)
          yield* body(world, to)
        })
      )
    )
