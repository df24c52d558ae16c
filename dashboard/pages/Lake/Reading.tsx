/**
 * How to read the newest export: snippets for the tools that analysts have, with this lake's address filled in.
 */
import { useState } from "preact/hooks"
import { Copy } from "../../parts/Text.tsx"

interface Tool {
  readonly name: string
  readonly says: string
  readonly text: (lake: string) => string
}

const isBucket = (lake: string): boolean => lake.startsWith("s3://")

/** Each follows `latest.json` to the files of one export: all files in a folder would be several exports at once. */
const tools: ReadonlyArray<Tool> = [
  {
    name: "DuckDB",
    says: "A view for each table, as of the newest export.",
    text: (lake) =>
      isBucket(lake)
        ? [
            "INSTALL httpfs; INSTALL aws;",
            "CREATE SECRET (TYPE s3, PROVIDER credential_chain);",
            `SELECT content FROM read_text('${lake}/lake.sql'); -- save it, then run it`
          ].join("\n")
        : `duckdb -init ${lake}/lake.sql`
  },
  {
    name: "pandas",
    says: "With the package duckdb. Decimals stay exact as objects; pandas' own reader would round them.",
    text: (lake) =>
      [
        "import duckdb",
        "con = duckdb.connect()",
        ...(isBucket(lake)
          ? ['con.execute("INSTALL httpfs; INSTALL aws; CREATE SECRET (TYPE s3, PROVIDER credential_chain)")']
          : []),
        `con.execute(con.sql("SELECT content FROM read_text('${lake}/lake.sql')").fetchone()[0])`,
        'ipcs = con.sql("FROM construction.ipcs WHERE _deleted_at IS NULL").df()'
      ].join("\n")
  },
  {
    name: "Spark",
    says: "A table's files are those that the newest export's manifest names.",
    text: (lake) =>
      [
        "import json",
        `lake = ${JSON.stringify(lake)}`,
        'read = lambda name: json.loads(spark.read.text(f"{lake}/{name}", wholetext=True).first()[0])',
        'tables = read(read("latest.json")["manifest"])["tables"]',
        'ipcs = spark.read.parquet(*[f"{lake}/{file[\'path\']}" for file in tables["ipcs"]["files"]])'
      ].join("\n")
  },
  {
    name: "psql",
    says: "If the worker runs on PostgreSQL, no export is needed: its tables are in the schema construction.",
    text: () => 'psql "$SITELEDGER_WAREHOUSE" -c "select * from construction.cashflow_by_month order by month"'
  }
]

export const Reading = ({ lake }: { readonly lake: string }) => {
  const [name, setName] = useState("DuckDB")
  const tool = tools.find((each) => each.name === name)
  if (tool === undefined) return null
  const text = tool.text(lake)
  return (
    <section aria-labelledby="reading">
      <h2 id="reading">How to read it</h2>
      <p class="choice" role="group" aria-label="Tool">
        {tools.map((each) => (
          <button key={each.name} type="button" aria-pressed={each.name === name} onClick={() => setName(each.name)}>
            {each.name}
          </button>
        ))}
      </p>
      <p class="note">{tool.says}</p>
      <pre tabIndex={0}>{text}</pre>
      <Copy text={text} what={`the ${name} snippet`} />
    </section>
  )
}
