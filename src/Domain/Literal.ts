/**
 * A text as a literal of SQL, whatever quotes are in it: for statements that take no parameters, such as COPY. Pure.
 */

export const text = (value: string): string => `'${value.replaceAll("'", "''")}'`
