/**
 * How many files and sockets this process may have open. Node raises its soft limit to the hard one when it starts.
 */

interface Limited {
  readonly userLimits?: { readonly open_files?: { readonly soft?: number | string } }
}

/** Infinite where there is no limit, or the system has none to tell. */
export const allowedDescriptors = (): number => {
  // Without this the report looks up the names of all peers.
  Object.assign(process.report, { excludeNetwork: true })
  const { userLimits } = process.report.getReport() as Limited
  const soft = Number(userLimits?.open_files?.soft)
  return soft > 0 ? soft : Number.POSITIVE_INFINITY
}
