/** Different ids with the same hash, by which row numbers are kept. */

export const alike = [
  ["f166716e3418", "8e88fe29cb3a"],
  ["ee7f18a35a02", "cde26696f75e"]
] as const
