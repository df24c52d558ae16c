/**
 * A text as an SQL literal with quotes escaped, for statements that take no parameters, such as COPY. Pure.
 */

export const text = (value: string): string => `'${value.replaceAll("'", "''")}'`
