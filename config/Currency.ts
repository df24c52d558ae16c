/**
 * ISO 4217: the codes of currencies, and how many decimals their amounts have. Most codes come from Node, which follows
 * the standard; it lacks codes of funds, and its decimals are those of prices, so both are listed here.
 */

/** Without codes that aren't money, such as metals and test codes. */
const decimals: Readonly<Record<number, string>> = {
  0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
  3: "BHD IQD JOD KWD LYD OMR TND",
  4: "CLF UYW"
}

/**
 * By code, where it isn't two. Stored with the terms of posting, so that a later list changes nothing that was posted.
 */
export const minorDigits: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries(decimals).flatMap(([digits, codes]) => codes.split(" ").map((code) => [code, Number(digits)]))
)

const codes: ReadonlySet<string> = new Set([
  ...Intl.supportedValuesOf("currency"),
  ...Object.keys(minorDigits),
  ..."BOV CHE CHW COU MXV USN VED".split(" ")
])

export const isCurrency = (text: string): boolean => codes.has(text)

export const isNoCurrency = "The currency must be a code of ISO 4217, like EUR."
