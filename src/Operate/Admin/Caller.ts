/**
 * Who calls the admin listener, and what they may ask for.
 */
import { Effect } from "effect"
import { userName } from "../../../config/Environment.ts"
import { type Needed, type Role, roles } from "../AdminApi/Verb.ts"
import * as Principals from "../Principals.ts"

export interface Caller {
  /** The name under which the caller is recorded. */
  readonly principal: string
  readonly roles: ReadonlyArray<Role>
  /** May manage principals, which no role allows. */
  readonly isAdmin: boolean
}

/** A caller who has the admin token or the data directory. */
export const everything = (principal: string): Caller => ({ principal, roles, isAdmin: true })

export const may = ({ isAdmin, roles: given }: Caller, needed: Needed): boolean =>
  isAdmin || Principals.may(given, needed)

/** The name under which a person without a worker is recorded, and a reader of the worker's note. */
export const ownUser: Effect.Effect<string> = Effect.map(userName, (name) => `os:${name}`)
