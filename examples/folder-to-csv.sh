#!/bin/sh
# Uploads a folder of scans, runs a workflow over them, and prints the records with page and box of each field as CSV.
# eval "$(npm run -s seed -- --env)" && sh examples/folder-to-csv.sh test/fixtures > records.csv
set -eu
FOLDER=${1:?'usage: sh examples/folder-to-csv.sh FOLDER'}
: "${SERVICE_KEY:?is not set. Run: eval \"\$(npm run -s seed -- --env)\"}"
API=${BASE_URL:-http://127.0.0.1:3000}/api/service

call() { # path, curl's options
  P=$1; shift
  curl -sS --fail-with-body --retry 3 "$API$P" -H "x-api-key: $SERVICE_KEY" -H 'content-type: application/json' "$@"
}
field() { # name of a text field: the first one in the JSON of the input
  grep -o "\"$1\":\"[^\"]*\"" | head -n 1 | cut -d '"' -f 4
}
digest() { sha256sum "$1" 2> /dev/null || shasum -a 256 "$1"; }

IDS=
for FILE in "$FOLDER"/*; do
  case $FILE in
    *.jpg) TYPE=image/jpeg ;;
    *.png | *.webp | *.gif | *.tiff) TYPE=image/${FILE##*.} ;;
    *.pdf) TYPE=application/pdf ;;
    *) continue ;;
  esac
  # Bytes that the project has are not uploaded again.
  ID=$(call "/documents?limit=1&sha256=$(digest "$FILE" | cut -d ' ' -f 1)" | field id)
  if [ -z "$ID" ]; then
    UPLOAD=$(call /uploads/presign -d "{\"contentType\":\"$TYPE\",\"size\":$(wc -c < "$FILE"),\"visibility\":\"private\"}")
    KEY=$(echo "$UPLOAD" | field objectKey)
    curl -sS --fail-with-body -T "$FILE" "$(echo "$UPLOAD" | field uploadUrl)"
    ID=$(call /uploads/ack -d "{\"objectKey\":\"$KEY\",\"idempotencyKey\":\"$KEY\"}" | field id)
  fi
  IDS="$IDS,\"$ID\""
done
RUN=$(call /workflow-executions -d "{\"workflowId\":\"wf_receipt_extraction\",\"documentIds\":[${IDS#,}]}" | field id)
until call "/workflow-executions/$RUN?wait=20" | grep -q '"finishedAt":"'; do :; done
call '/records?recordType=receipt&format=csv&boxes=true'
