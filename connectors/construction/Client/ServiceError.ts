/**
 * The client's only error: its reason says who can act, its message what to check, by the names of the client's options.
 * The message holds no secret and no token.
 */
import { Schema } from "effect"

export class ServiceError extends Schema.TaggedError<ServiceError>()("ServiceError", {
  /**
   * Options: they aren't usable. Refused: the service refuses (credentials, scope, address, the request itself), and
   * retrying doesn't help. Unavailable: it didn't answer within `giveUpAfter`. NotAsPromised: its answer contradicts the
   * interface document, and would again. Closed: the client was closed before the answer.
   */
  reason: Schema.Literals(["Options", "Refused", "Unavailable", "NotAsPromised", "Closed"]),
  message: Schema.String
}) {}

export const notAsPromised = (message: string): ServiceError => new ServiceError({ reason: "NotAsPromised", message })
