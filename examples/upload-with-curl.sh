#!/bin/sh
# Uploads one file with a workflow key: eval "$(npm run -s seed -- --env)" && sh examples/upload-with-curl.sh scan.jpg
set -eu
FILE=${1:?'usage: sh examples/upload-with-curl.sh FILE'}
: "${WORKFLOW_KEY:?is not set. Run: eval \"\$(npm run -s seed -- --env)\"}"
API=${BASE_URL:-http://127.0.0.1:3000}

case $FILE in
  *.jpg | *.jpeg) TYPE=image/jpeg ;;
  *.png) TYPE=image/png ;;
  *.webp) TYPE=image/webp ;;
  *.avif) TYPE=image/avif ;;
  *.heic) TYPE=image/heic ;;
  *.gif) TYPE=image/gif ;;
  *.tif | *.tiff) TYPE=image/tiff ;;
  *.pdf) TYPE=application/pdf ;;
  *) echo "$FILE: expected .jpg, .png, .webp, .avif, .heic, .gif, .tif or .pdf" >&2; exit 1 ;;
esac

post() { # path, JSON body
  curl -sS --fail-with-body "$API$1" -H "x-api-key: $WORKFLOW_KEY" -H 'content-type: application/json' -d "$2"
}
field() { # name of a text field, JSON
  printf %s "$2" | sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"
}

# 1. Presign: declare type and size, get a URL to upload to.
UPLOAD=$(post /api/uploads/presign "{\"contentType\":\"$TYPE\",\"size\":$(wc -c < "$FILE")}") || {
  echo "$UPLOAD" >&2 # the problem, as JSON: `detail` says what to do
  exit 1
}
# 2. PUT: the bytes go to the object store. The signed URL needs no key.
curl -sS --fail-with-body -T "$FILE" "$(field uploadUrl "$UPLOAD")"
# 3. Ack: the document exists, and the workflow of the key starts. Prints the document as JSON.
post /api/uploads/ack "{\"objectKey\":\"$(field objectKey "$UPLOAD")\"}"
echo
