/**
 * How many connections a worker takes. Imports nothing, as the thread that receives says it, too.
 */

/** For its work. */
export const workConnections = 9

export const connectionsForAudits = 2

/** In all: three are for deliveries, two for exports, and one each for watching and leading. */
export const mostConnections = workConnections + connectionsForAudits + 7
