# Uploads a folder of scans, runs a workflow over them, and prints their fields with page and box as CSV. Standard library only.
# eval "$(npm run -s seed -- --env)" && python3 examples/folder-to-csv.py test/fixtures > fields.csv
import csv, hashlib, json, mimetypes, os, pathlib, sys, urllib.error, urllib.parse, urllib.request

base = os.environ.get("BASE_URL", "http://127.0.0.1:3000") + "/api/service"
key = os.environ.get("SERVICE_KEY") or sys.exit('SERVICE_KEY is not set. Run: eval "$(npm run -s seed -- --env)"')
types = ["image/png", "image/jpeg", "image/webp", "image/gif", "image/tiff", "application/pdf"]
mimetypes.add_type("image/webp", ".webp")

def call(path, body=None, **query):
    data = None if body is None else json.dumps(body).encode()
    headers = {"x-api-key": key, "content-type": "application/json"}
    request = urllib.request.Request(f"{base}{path}?{urllib.parse.urlencode(query)}", data, headers)
    try:
        return json.load(urllib.request.urlopen(request))
    except urllib.error.HTTPError as error:  # application/problem+json: `detail` says what to do
        sys.exit(json.load(error)["detail"])

names = {}
for path in sorted(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").iterdir()):
    kind, bytes_ = mimetypes.guess_type(path)[0], path.is_file() and path.read_bytes()
    if kind not in types:
        continue
    there = call("/documents", limit=1, sha256=hashlib.sha256(bytes_).hexdigest())["documents"]
    if not there:  # bytes that the project has are not uploaded again
        up = call("/uploads/presign", dict(contentType=kind, size=len(bytes_), filename=path.name, visibility="private"))
        urllib.request.urlopen(urllib.request.Request(up["uploadUrl"], bytes_, up["headers"], method="PUT"))
        there = [call("/uploads/ack", dict(objectKey=up["objectKey"], idempotencyKey=up["objectKey"]))["document"]]
    names[there[0]["id"]] = path.name
run = call("/workflow-executions", dict(workflowId="wf_receipt_extraction", documentIds=list(names)))
while not run["finishedAt"]:
    run = call(f"/workflow-executions/{run['id']}", wait=20)
def plain(value):  # text of a document is untrusted: a quote in front keeps a spreadsheet from computing it
    text = f"{value['amount']} {value['currency'] or ''}" if isinstance(value, dict) else str("" if value is None else value)
    return "'" + text if text[:1] in ("=", "+", "-", "@") else text

table = csv.writer(sys.stdout)
table.writerow(["file", "field", "value", "raw", "page", "x", "y", "width", "height"])
for document, name in names.items():
    for record in call("/records", documentId=document, limit=100)["records"]:
        for field, cell in record["cells"].items():
            table.writerow([name, field, plain(cell["value"]), plain(cell["raw"]), cell["page"], *(cell["box"] or [""] * 4)])
