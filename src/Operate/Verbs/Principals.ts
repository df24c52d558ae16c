/**
 * Carries out the verbs about principals.
 */
import { Effect } from "effect"
import type { Handler, VerbName } from "../AdminApi.ts"
import * as Principals from "../Principals.ts"

export const principals = {
  "principal-list": () => Effect.map(Principals.list, (all) => ({ principals: all })),
  "principal-add": ({ name, roles }) => Principals.add(name, roles),
  "principal-rotate": ({ name, roles }) => Principals.rotate(name, roles),
  "principal-revoke": ({ name }) => Effect.map(Principals.revoke(name), (revoked) => ({ revoked }))
} satisfies { readonly [Name in VerbName]?: Handler<Name> }
