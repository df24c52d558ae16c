/**
 * A world that the tests of a file share: the first test makes it, which takes longer than most of the tests, and each
 * starts with its data directory and its database as they were then. The service continues meanwhile.
 */
import { cpSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterAll } from "@effect/vitest"
import * as Postgres from "../Postgres.ts"
import type { World } from "./World.ts"

/** A copy of a folder, and how to put it back as it was. */
export const kept = (world: World, folder = world.dataDir) => {
  const copy = join(dirname(world.file("beside", "")), "kept")
  cpSync(folder, copy, { recursive: true })
  return (): void => {
    rmSync(folder, { recursive: true, force: true })
    cpSync(copy, folder, { recursive: true })
  }
}

const admin = (sql: string) => Postgres.query(Postgres.postgresUrl(), sql)

const keptOnServer = async ({ database }: World) => {
  if (database === undefined) return { putBack: async () => {}, remove: async () => {} }
  const { name } = database
  await admin(`create database ${name}_kept template ${name}`)
  const putBack = async (): Promise<void> => {
    await admin(`drop database ${name} with (force)`)
    await admin(`create database ${name} template ${name}_kept`)
  }
  return { putBack, remove: async () => void (await admin(`drop database ${name}_kept`)) }
}

const shared = async (make: () => Promise<World>) => {
  const world = await make()
  return { world, files: kept(world), server: await keptOnServer(world) }
}

/** `make`: ends its workers. A test that fails may leave some. */
export const sharing = (make: () => Promise<World>): (() => Promise<World>) => {
  let made: ReturnType<typeof shared> | undefined
  afterAll(async () => {
    if (made === undefined) return
    const { server, world } = await made
    await server.remove()
    await world[Symbol.asyncDispose]()
  })
  return async () => {
    made ??= shared(make)
    const { files, server, world } = await made
    await world.killAll()
    files()
    await server.putBack()
    return world
  }
}
