/**
 * config/postgres-roles.sql as psql would run it on a test's database, with unique names, because roles belong to the whole
 * server, which other tests share. Create it before the database: roles must be dropped after it.
 */
import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { Effect, Option, Redacted } from "effect"
import { migrate } from "../../../src/Operate/Migrate.ts"
import * as Postgres from "../../Postgres.ts"

const file = new URL("../../../config/postgres-roles.sql", import.meta.url)

const password = "a-test's password/?"

export class Roles implements AsyncDisposable {
  readonly worker = `worker_${randomUUID().slice(0, 8)}`
  readonly owner = `owner_${randomUUID().slice(0, 8)}`
  readonly analyst = `analyst_${randomUUID().slice(0, 8)}`

  /** Without psql's own commands, and with its variables filled in. */
  get sql(): string {
    const values: Readonly<Record<string, string>> = { worker: this.worker, owner: this.owner, analyst: this.analyst }
    return readFileSync(file, "utf8")
      .replace(/^\s*\\.*$/gm, "")
      .replace(/:(['"])(\w+)\1/g, (_, quote: string, name: string) => `${quote}${values[name] ?? ""}${quote}`)
  }

  /** `as`: whose address the administrator uses. */
  async setUp(database: Postgres.Database, as = database.url): Promise<void> {
    await Postgres.query(as, this.sql)
    for (const role of [this.worker, this.owner, this.analyst]) {
      await database.query(`alter role ${role} password '${password.replaceAll("'", "''")}'`)
    }
  }

  /** As `siteledger migrate` does it with both addresses. */
  migrated(database: Postgres.Database) {
    const [worker, owner] = (["worker", "owner"] as const).map((role) => Redacted.make(this.url(database, role)))
    return Effect.runPromise(migrate(worker!, Option.some(owner!)))
  }

  url({ url }: Postgres.Database, role: "worker" | "owner" | "analyst"): string {
    return Object.assign(new URL(url), { username: this[role], password: encodeURIComponent(password) }).href
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Postgres.query(Postgres.postgresUrl(), `drop role if exists ${this.worker}, ${this.owner}, ${this.analyst}`)
  }
}

/** A role that owns a database and may create roles, but isn't a superuser: the usual administrator of a hosted service. */
export class Administrator implements AsyncDisposable {
  readonly name = `administrator_${randomUUID().slice(0, 8)}`

  /** Makes it own the database and the schema `public`; returns its URL. */
  async own(database: Postgres.Database): Promise<string> {
    await database.query(`
      create role ${this.name} login createrole password 'hush'; alter database ${database.name} owner to ${this.name};
      alter schema public owner to ${this.name}`)
    return Object.assign(new URL(database.url), { username: this.name, password: "hush" }).href
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Postgres.query(Postgres.postgresUrl(), `drop role if exists ${this.name}`)
  }
}
