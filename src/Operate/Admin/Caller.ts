/**
 * Who asks the admin listener, and what they may ask for.
 */
import { Effect } from "effect"
import { userName } from "../../../config/Environment.ts"
import { type Needed, type Role, roles } from "../AdminApi/Verb.ts"
import * as Principals from "../Principals.ts"

export interface Caller {
  /** As it is recorded. */
  readonly principal: string
  readonly roles: ReadonlyArray<Role>
  /** May manage principals, which no role allows. */
  readonly isAdmin: boolean
}

/** Who has the admin token, or the data directory. */
export const everything = (principal: string): Caller => ({ principal, roles, isAdmin: true })

export const may = ({ isAdmin, roles: given }: Caller, needed: Needed): boolean =>
  isAdmin || Principals.may(given, needed)

/** How people without a worker are recorded, and those who read its note. */
export const ownUser: Effect.Effect<string> = Effect.map(userName, (name) => `os:${name}`)
