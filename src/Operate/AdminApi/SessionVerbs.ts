/**
 * The verbs about the dashboard's sessions: a code to sign in with, and who is signed in.
 */
import { Schema } from "effect"
import { nothing, roles, verb } from "./Verb.ts"

/** Who is signed in, and what they may do. */
export const SignedIn = Schema.Struct({
  principal: Schema.String,
  may: Schema.Array(Schema.Literals(roles))
})
export type SignedIn = typeof SignedIn.Type

export const sessionVerbs = [
  /** For one sign-in to the dashboard, as the calling principal. */
  verb("session-code", {
    needs: "read",
    payload: nothing,
    answer: Schema.Struct({
      code: Schema.String,
      /** Until when the code is valid. */
      endsAt: Schema.String
    })
  })
] as const
