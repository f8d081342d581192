// Uploads a folder of scans, runs a workflow over them, and prints their fields with page and box as CSV.
// eval "$(npm run -s seed -- --env)" && npx node examples/folder-to-csv.ts test/fixtures > fields.csv
import { openAsBlob } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient, items, mediaTypeOf } from 'inkgraph/client';

const { BASE_URL = 'http://127.0.0.1:3000', SERVICE_KEY = '', WORKFLOW = 'wf_receipt_extraction' } = process.env;
if (SERVICE_KEY === '') {
  console.error('SERVICE_KEY is not set. Run: eval "$(npm run -s seed -- --env)"');
  process.exit(1);
}
const client = createClient({ baseUrl: BASE_URL, apiKey: SERVICE_KEY });
const [folder = '.'] = process.argv.slice(2);
const names = new Map<string, string>();
for (const filename of (await readdir(folder)).filter((name) => mediaTypeOf(name) !== null).toSorted()) {
  // With dedupe, bytes that the project has are not uploaded again.
  const file = await openAsBlob(join(folder, filename));
  const { document } = await client.upload(file, { filename, dedupe: true });
  names.set(document.id, filename);
}
const started = await client.service.execute({ workflowId: WORKFLOW, documentIds: [...names.keys()] });
const { status } = await client.wait(started);
console.error(`${names.size} documents: ${status}`);

// Text of a document is untrusted: a quote in front keeps a spreadsheet from computing it.
const csv = (value: string | number | boolean | null): string =>
  `"${String(value ?? '')
    .replaceAll('"', '""')
    .replace(/^[=+@-]/, "'$&")}"`;
console.log('file,field,value,raw,page,x,y,width,height');
for (const [documentId, filename] of names)
  for await (const { cells } of items(client.records.query, 'records', { documentId }))
    for (const [field, { value, raw, page, box }] of Object.entries(cells)) {
      const plain = typeof value === 'object' && value !== null ? `${value.amount} ${value.currency ?? ''}` : value;
      console.log([filename, field, plain, raw, page, ...(box ?? ['', '', '', ''])].map(csv).join(','));
    }
