/**
 * The verbs about principals: who may ask the workers for what. They need a right that no principal is given, so no one
 * can give themselves a role. A token appears only in the answer that creates it.
 */
import { Schema } from "effect"
import { nothing, roles, verb } from "./Verb.ts"

const Roles = Schema.Array(Schema.Literals(roles))
const Time = Schema.NullOr(Schema.String)

const Issued = Schema.Struct({ name: Schema.String, roles: Roles, token: Schema.String })

const Principal = Schema.Struct({
  name: Schema.String,
  roles: Roles,
  addedAt: Schema.String,
  addedBy: Schema.String,
  rotatedAt: Time,
  revokedAt: Time,
  revokedBy: Time
})

export const principalVerbs = [
  verb("principal-list", {
    needs: "admin",
    payload: nothing,
    answer: Schema.Struct({ principals: Schema.Array(Principal) })
  }),
  verb("principal-add", {
    needs: "admin",
    payload: Schema.Struct({ name: Schema.String, roles: Roles }),
    answer: Issued
  }),
  /** Creates a new token; the previous one ends at once. */
  verb("principal-rotate", {
    needs: "admin",
    payload: Schema.Struct({
      name: Schema.String,
      /** Absent to leave them unchanged. */
      roles: Schema.optionalKey(Roles)
    }),
    answer: Issued
  }),
  /** Ends at once, on all workers, and permanently. */
  verb("principal-revoke", {
    needs: "admin",
    payload: Schema.Struct({ name: Schema.String }),
    answer: Schema.Struct({ revoked: Principal })
  })
] as const
