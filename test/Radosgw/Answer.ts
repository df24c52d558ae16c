/** How a start of the tests' radosgw went, as the process that owns it tells it in one line. */
export type Answer = { readonly url: string } | { readonly failed: string }

export const credentials = { accessKeyId: "test", secretAccessKey: "testing" } as const
