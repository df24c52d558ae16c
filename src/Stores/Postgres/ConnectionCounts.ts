/**
 * How many connections a worker takes. Imports nothing, as the thread that receives says it, too.
 */

/** For its work. */
export const workConnections = 9

/** In all: three are for deliveries, two each for audits and exports, and one each for watching and leading. */
export const mostConnections = workConnections + 9
