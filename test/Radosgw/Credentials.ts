/** Whose bucket the tests' radosgw holds. */
export const credentials = { accessKeyId: "test", secretAccessKey: "testing" } as const
