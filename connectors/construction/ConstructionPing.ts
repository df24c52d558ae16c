/**
 * The event that verifies a subscription (interface document §4.2). Also for the receiver's thread.
 */
export const ping = "webhook.ping"
