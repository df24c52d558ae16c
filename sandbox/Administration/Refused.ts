/**
 * Why the administration refuses a request: it is malformed (400), its target doesn't exist (404), or the target's
 * state doesn't allow it (409).
 */
import { Schema } from "effect"

export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  status: Schema.Literals([400, 404, 409]),
  message: Schema.String
}) {}
