/** The owner of the bucket in the tests' radosgw. */
export const credentials = { accessKeyId: "test", secretAccessKey: "testing" } as const
