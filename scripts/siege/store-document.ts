import { readFile } from 'node:fs/promises';
import { AckReply, PresignReply } from '#src/contracts/resources/upload.ts';

/** Stores a small picture that no workflow reads; answers the document's id. */
export async function storeDocument(api: string, serviceKey: string): Promise<string> {
  const bytes = await readFile(new URL('../../test/fixtures/note.gif', import.meta.url));
  const post = async (path: string, body: object): Promise<unknown> => {
    const headers = { 'x-api-key': serviceKey, 'content-type': 'application/json' };
    const response = await fetch(new URL(path, api), { method: 'POST', headers, body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return response.json();
  };
  const wanted = { contentType: 'image/gif', size: bytes.length, visibility: 'private' };
  const { uploadUrl, objectKey } = PresignReply.parse(await post('/api/service/uploads/presign', wanted));
  const stored = await fetch(uploadUrl, { method: 'PUT', body: new Uint8Array(bytes) });
  if (!stored.ok) throw new Error(`PUT answered ${stored.status}`);
  const acked = await post('/api/service/uploads/ack', { objectKey, idempotencyKey: objectKey.slice(-100) });
  return AckReply.parse(acked).document.id;
}
