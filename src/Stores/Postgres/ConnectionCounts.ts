/**
 * How many connections a worker takes. Imports nothing, because the receiver's thread uses it too.
 */

/** For its work. */
export const workConnections = 9

export const connectionsForAudits = 2

/** In total: three are for deliveries, two for exports, and one each for watching and leading. */
export const mostConnections = workConnections + connectionsForAudits + 7
