/**
 * How many files and sockets this process may have open. Node raises its soft limit to the hard limit when it starts.
 */

interface Limited {
  readonly userLimits?: { readonly open_files?: { readonly soft?: number | string } }
}

/** Infinite if there is no limit, or if the system doesn't report one. */
export const allowedDescriptors = (): number => {
  // Without this, the report would look up the names of all peers.
  Object.assign(process.report, { excludeNetwork: true })
  const { userLimits } = process.report.getReport() as Limited
  const soft = Number(userLimits?.open_files?.soft)
  return soft > 0 ? soft : Number.POSITIVE_INFINITY
}
