// Uploads a file with a service key, runs a workflow over it, and prints the result.
// eval "$(npm run -s seed -- --env)" && npx node examples/upload-with-node.ts scan.jpg
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';

const { BASE_URL = 'http://127.0.0.1:3000', SERVICE_KEY = '', WORKFLOW = 'Document intake' } = process.env;
const [file = ''] = process.argv.slice(2);
const [avif, jpeg, tiff, pdf] = ['image/avif', 'image/jpeg', 'image/tiff', 'application/pdf'];
const types = { avif, jpg: jpeg, jpeg, png: 'image/png', webp: 'image/webp', gif: 'image/gif', tif: tiff, tiff, pdf };
const contentType = new Map(Object.entries(types)).get(extname(file).slice(1).toLowerCase());
const problem =
  (SERVICE_KEY === '' && 'SERVICE_KEY is not set. Run: eval "$(npm run -s seed -- --env)"') ||
  (contentType === undefined && `${file}: expected .jpg, .jpeg, .png, .webp, .avif, .gif, .tif, .tiff or .pdf`);
if (problem !== false) {
  console.error(problem);
  process.exit(1);
}

async function call<Reply>(path: string, body?: object): Promise<Reply> {
  const response = await fetch(`${BASE_URL}/api/service${path}`, {
    headers: { 'x-api-key': SERVICE_KEY, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  // Errors are application/problem+json: `detail` says what is wrong and what to do.
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as Reply;
}

const bytes = await readFile(file);
const { uploadUrl, objectKey } = await call<{ uploadUrl: string; objectKey: string }>('/uploads/presign', {
  contentType,
  size: bytes.length,
  visibility: 'private',
});
const stored = await fetch(uploadUrl, { method: 'PUT', body: bytes });
if (!stored.ok) throw new Error(`The object store returned ${stored.status}`);
// The key makes a retry safe: the same call again returns the same document.
const acknowledged = await call<{ document: { id: string } }>('/uploads/ack', { objectKey, idempotencyKey: objectKey });
const documentId = acknowledged.document.id;
console.log(`Uploaded ${documentId}`);

const { workflows } = await call<{ workflows: { workflowId: string; name: string }[] }>('/workflows');
const workflow = workflows.find(({ name }) => name === WORKFLOW);
if (workflow === undefined) throw new Error(`This project has no workflow "${WORKFLOW}"`);
let execution = await call<{ id: string; status: string; finishedAt: string | null }>('/workflow-executions', {
  workflowId: workflow.workflowId,
  documentIds: [documentId],
});
while (execution.finishedAt === null) {
  // Returns as soon as the execution changes, or after 20 seconds.
  execution = await call(`/workflow-executions/${execution.id}?wait=20`);
}
console.log(`${workflow.name}: ${execution.status}`);

const document = await call<{ description: string; ocr: { avgConfidence: number; characters: number } }>(
  `/documents/${documentId}`,
);
console.log(`${document.ocr.characters} characters recognized, ${document.ocr.avgConfidence.toFixed(1)} % confidence`);
console.log(document.description);
