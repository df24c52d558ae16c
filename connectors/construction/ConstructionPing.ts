/**
 * The event that verifies a subscription (interface document §4.2). Used by the receiver's thread too.
 */
export const ping = "webhook.ping"
