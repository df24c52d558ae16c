/**
 * What a call of the client can fail with: one error, whose reason says who can act and whose message says what to
 * check, in the names of the client's options. The message holds no secret and no token.
 */
import { Schema } from "effect"

export class ServiceError extends Schema.TaggedError<ServiceError>()("ServiceError", {
  /**
   * Options: the client can't be made from them. Refused: the service says no (credentials, scope, address, the request
   * itself), and asking again is no use. Unavailable: it didn't answer for as long as `giveUpAfter`. NotAsPromised: it
   * answered what the interface document rules out, and would again. Closed: the client was closed before the answer.
   */
  reason: Schema.Literals(["Options", "Refused", "Unavailable", "NotAsPromised", "Closed"]),
  message: Schema.String
}) {}

export const notAsPromised = (message: string): ServiceError => new ServiceError({ reason: "NotAsPromised", message })
