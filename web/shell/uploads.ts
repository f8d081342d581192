import { call } from '../api/client.ts';
import type { Reply } from '../api/families.ts';
import { Problem } from '../api/problem.ts';
import { uploads, type Upload } from '../state/upload-list.ts';
import { shell } from '../text/shell.ts';

const atOnce = 4;

const change = (id: string, fields: Partial<Upload>): void =>
  uploads.set((all) => all.map((one) => (one.id === id ? { ...one, ...fields } : one)));

/** Sends bytes with progress, which `fetch` does not tell. */
function put(
  { uploadUrl, headers }: Pick<Reply<'documents', 'presign'>, 'uploadUrl' | 'headers'>,
  file: File,
  onProgress: (share: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', uploadUrl);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / Math.max(1, total)));
    request.addEventListener('load', () =>
      request.status < 300
        ? resolve()
        : reject(new Problem(request.status, { detail: shell.uploadRefused(request.status) })),
    );
    request.addEventListener('error', () => reject(new Problem(0, {})));
    request.send(file);
  });
}

/** Stores the bytes. Bytes that a lost connection cut off are sent again to a place of their own, and nothing is made of the first. */
async function storeBytes({ id, file, projectId }: Upload): Promise<string> {
  const signed = await call('documents', 'presign', {
    body: { projectId, contentType: file.type, size: file.size, filename: file.name },
  });
  await put(signed, file, (progress) => change(id, { progress }));
  change(id, { objectKey: signed.objectKey });
  return signed.objectKey;
}

/** Makes the document. Asked twice, the server answers with the same one. */
async function store(upload: Upload): Promise<string> {
  const { id } = upload;
  const objectKey = upload.objectKey ?? (await storeBytes(upload));
  const { document } = await call('documents', 'ack', { body: { objectKey } });
  const { duplicateOf } = document;
  change(id, { progress: 1, documentId: document.id, ...(duplicateOf === undefined ? {} : { duplicateOf }) });
  return document.id;
}

/** Sends a file and starts its workflow. What is done already is not done again. */
async function send(upload: Upload): Promise<void> {
  const { id, workflowId } = upload;
  change(id, { state: 'sending', progress: 0 });
  try {
    const documentId = upload.documentId ?? (await store(upload));
    if (workflowId !== undefined) await call('documents', 'run', { params: { id: documentId }, body: { workflowId } });
    change(id, { state: 'done', progress: 1 });
  } catch (error) {
    const isCut = error instanceof Problem && error.status === 0;
    change(
      id,
      isCut ? { state: 'cut' } : { state: 'failed', error: error instanceof Error ? error.message : String(error) },
    );
  }
}

/** Starts waiting uploads, a few at a time. */
async function pump(): Promise<void> {
  const all = uploads.get();
  const next = all.find(({ state }) => state === 'waiting');
  if (next === undefined || all.filter(({ state }) => state === 'sending').length >= atOnce) return;
  const sent = send(next);
  void pump();
  await sent;
  void pump();
}

/** Adds files to the queue and begins. */
export function addUploads(
  files: readonly File[],
  to: { readonly projectId: string; readonly workflowId?: string | undefined },
): void {
  const added = files.map((file): Upload => ({
    id: crypto.randomUUID(),
    name: file.name,
    file,
    projectId: to.projectId,
    workflowId: to.workflowId,
    state: 'waiting',
    progress: 0,
  }));
  uploads.set((all) => [...all, ...added]);
  void pump();
}

/** Tries a failed upload again. */
export function retryUpload(id: string): void {
  change(id, { state: 'waiting', progress: 0 });
  void pump();
}

/** Goes on with the uploads that a lost connection cut off. */
export function resumeUploads(): void {
  uploads.set((all) => all.map((one) => (one.state === 'cut' ? { ...one, state: 'waiting' } : one)));
  void pump();
}

const isUnderway = ({ state }: Upload): boolean => state !== 'done' && state !== 'failed';

export const clearFinished = (): void => uploads.set((all) => all.filter(isUnderway));

export const isUploading = (): boolean => uploads.get().some(isUnderway);
