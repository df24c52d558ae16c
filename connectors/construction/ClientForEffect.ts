/**
 * The package's `siteledger-client/effect`: the service as an Effect service, for programs that use Effect themselves.
 * The HttpClient is the program's own.
 */
export { ConstructionService } from "./Client/ConstructionService.ts"
export { type DeliveredEvent, deliveryHandler, type DeliveryHandlerOptions } from "./Client/DeliveryHandler.ts"
export type { Period } from "./Client/Options.ts"
export type { RedactedOptions as Options } from "./Client/RedactedOptions.ts"
export type { Method, Parameter, RequestOptions, SchemaResult, StandardSchema } from "./Client/Request.ts"
export { type Answered, type Reason, ServiceError } from "./Client/ServiceError.ts"
export type { Pagination, Project, ProjectPage, Subscription, Webhook } from "./Client/Shapes.ts"
export { type DeliveryHeaders, type RawBody, type Secrets, verifyDelivery } from "./Client/Signature.ts"
export { type EventName, type EventType, eventTypes } from "./ConstructionEvents.ts"
export { ping } from "./ConstructionPing.ts"
