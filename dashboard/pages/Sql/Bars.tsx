/**
 * An answer of a label and a number as bars, one for each row. The number beside a bar is as the worker wrote it.
 */
import type { Bar } from "../../Found.ts"

export const Bars = ({ of }: { readonly of: ReadonlyArray<Bar> }) => {
  const greatest = Math.max(...of.map(({ value }) => Math.abs(value)), 0)
  return (
    <table class="bars">
      <caption>The rows of the answer as bars</caption>
      <tbody>
        {of.map(({ label, value, written }, at) => (
          <tr key={at}>
            <th scope="row">{label}</th>
            <td>
              <meter
                min={0}
                max={greatest || 1}
                value={Math.abs(value)}
                class={value < 0 ? "bad" : ""}
                aria-label={label}
              >
                {written}
              </meter>
            </td>
            <td class="number">{written}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
