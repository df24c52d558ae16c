/**
 * Why something that was asked of the administration isn't done or shown: the request is wrong (400), there is no
 * such thing (404), or it doesn't go with its state (409).
 */
import { Schema } from "effect"

export class Refused extends Schema.TaggedError<Refused>()("Refused", {
  status: Schema.Literals([400, 404, 409]),
  message: Schema.String
}) {}
