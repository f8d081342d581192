import { call } from '../api/client.ts';
import type { Reply } from '../api/families.ts';
import { Problem } from '../api/problem.ts';
import { createStore } from '../state/store.ts';

export interface Upload {
  readonly id: string;
  readonly name: string;
  readonly file: File;
  readonly projectId: string;
  readonly workflowId: string | undefined;
  readonly state: 'waiting' | 'sending' | 'done' | 'failed';
  /** Share of bytes that are sent, 0..1. */
  readonly progress: number;
  readonly documentId?: string;
  readonly duplicateOf?: string;
  readonly error?: string;
}

/** Uploads of this tab. They go on while pages change. */
export const uploads = createStore<readonly Upload[]>([]);

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
    const fail = (words: string) => reject(new Problem(request.status, { detail: words }));
    request.open('PUT', uploadUrl);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(loaded / Math.max(1, total)));
    request.addEventListener('load', () =>
      request.status < 300 ? resolve() : fail(`The object store answered ${request.status}.`),
    );
    request.addEventListener('error', () => fail('The connection was lost. Try again.'));
    request.send(file);
  });
}

async function store({ id, file, projectId }: Upload): Promise<string> {
  const signed = await call('documents', 'presign', {
    body: { projectId, contentType: file.type, size: file.size, filename: file.name },
  });
  await put(signed, file, (progress) => change(id, { progress }));
  const { document } = await call('documents', 'ack', { body: { objectKey: signed.objectKey } });
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
    change(id, { state: 'failed', error: error instanceof Error ? error.message : String(error) });
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

export const clearFinished = (): void =>
  uploads.set((all) => all.filter(({ state }) => state === 'waiting' || state === 'sending'));

export const isUploading = (): boolean => uploads.get().some(({ state }) => state === 'waiting' || state === 'sending');
