"""Loads the pages of ListServer with dlt into DuckDB (Parquet files) or PostgreSQL (CSV files), for bench/load.ts.
Prints the seconds that it took. Run: python3 dlt_load.py ORIGIN FOLDER [DATABASE]"""
import os
import sys
import time

os.environ["RUNTIME__DLTHUB_TELEMETRY"] = "false"
import dlt
from dlt.sources.rest_api import rest_api_source

origin, folder, *database = sys.argv[1:]
source = rest_api_source({
    "client": {"base_url": f"{origin}/v1/"},
    "resources": [{"name": "projects", "endpoint": {
        "path": "projects", "params": {"per_page": 1000}, "data_selector": "data",
        "paginator": {"type": "page_number", "base_page": 1, "page_param": "page", "total_path": None,
                      "stop_after_empty_page": True}}}]})
if database:
    destination, files = dlt.destinations.postgres(database[0]), "csv"
else:
    destination, files = dlt.destinations.duckdb(os.path.join(folder, "dlt.duckdb")), "parquet"
pipeline = dlt.pipeline("bench", destination=destination, dataset_name="bench",
                        pipelines_dir=os.path.join(folder, "dlt"))
begun = time.monotonic()
pipeline.run(source, loader_file_format=files)
print(time.monotonic() - begun)
