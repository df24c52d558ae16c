/** How a start of the tests' PostgreSQL went, as the process that owns it tells it in one line. */
export type Answer = { readonly url: string } | { readonly failed: string }
