/** A break of one place, planted into a copy of a real module. `find` occurs exactly once in its file. */
export interface Break {
  readonly file: string
  readonly find: string
  readonly replace: string
  /** What is lost because of the break. */
  readonly why: string
}

export const at =
  (file: string) =>
  (find: string, replace: string, why: string): Break => ({ file, find, replace, why })
