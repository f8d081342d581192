import { Problem } from './problem.ts';
import { put, type OnProgress } from './put.ts';
import { request, retried, type AnyInput, type CallOptions, type Connection } from './request.ts';
import { mediaTypes, rows } from './rows.gen.ts';
import type { Document, PresignedUpload, Rows } from './types.gen.ts';

export interface UploadOptions extends CallOptions {
  /** Default: that of the Blob, or of the extension of the name. */
  readonly contentType?: string;
  /** Default: the name of the File. */
  readonly filename?: string;
  /** Languages of the text, as codes of Tesseract, the main one first. Default: those of the key or of the workflow. */
  readonly languages?: readonly string[];
  /** With a service key. Default: private. */
  readonly visibility?: 'private' | 'public';
  /** true: a document with the same bytes is returned instead of uploading them again. Needs a service key. */
  readonly dedupe?: boolean;
  readonly onProgress?: OnProgress;
  /** Called with the bytes stored and before the document exists: `acknowledge` with this key ends an upload that broke off. */
  readonly onStored?: (objectKey: string) => void | Promise<void>;
}

type Acknowledged = Rows['ingestion']['ack']['reply'];
/** `isNew` is false for a document that `dedupe` found. `execution`: with a workflow key, what the upload started. */
export type Uploaded = Acknowledged & { readonly isNew: boolean };

const isWorkflowKey = ({ apiKey }: Connection): boolean => apiKey.startsWith('ink_wf_');

/** SHA-256 of bytes in hex, as `sha256` of documents has it. */
export async function sha256Of(bytes: Blob): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await bytes.arrayBuffer());
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Media type by the extension of a name; null: no type of documents. */
export function mediaTypeOf(name: string): string | null {
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return new Map<string, string>(Object.entries(mediaTypes)).get(extension) ?? null;
}

/** Fields of the presign call. */
function declared(connection: Connection, bytes: Blob, options: UploadOptions): AnyInput {
  const { name } = bytes as { name?: string };
  const { filename = name, languages, visibility = 'private' } = options;
  const contentType = options.contentType ?? (bytes.type === '' ? mediaTypeOf(filename ?? '') : bytes.type);
  if (contentType === null || contentType === undefined)
    throw new TypeError(`The type of ${filename ?? 'the file'} is unknown: give contentType, such as image/png.`);
  const named = { ...(filename !== undefined && { filename }), ...(languages !== undefined && { languages }) };
  const fields = { contentType, size: bytes.size, ...named };
  return isWorkflowKey(connection) ? fields : { ...fields, visibility };
}

async function existing(connection: Connection, bytes: Blob, options: CallOptions): Promise<Document | null> {
  if (isWorkflowKey(connection)) throw new TypeError('dedupe needs a service key: a workflow key reads no documents.');
  const input = { sha256: await sha256Of(bytes), limit: 1 };
  const response = await request(connection, rows.service.listDocuments, input, options);
  const { documents } = (await response.json()) as { documents: Document[] };
  return documents[0] ?? null;
}

/** Makes the document of stored bytes. Repeated, it returns the same document. */
export async function acknowledge(
  connection: Connection,
  objectKey: string,
  options: CallOptions = {},
): Promise<Uploaded> {
  const isWorkflow = isWorkflowKey(connection);
  // The key is unique to the upload, and as long as an idempotency key may be.
  const input = isWorkflow ? { objectKey } : { objectKey, idempotencyKey: objectKey.slice(-255) };
  const row = isWorkflow ? rows.ingestion.ack : rows.service.ack;
  const response = await request(connection, row, input, options);
  return { ...((await response.json()) as Acknowledged), isNew: response.status === 201 };
}

/** Stores the bytes. An attempt whose response was lost may have stored them: the store then refuses the next one, and ack decides. */
async function store(
  connection: Connection,
  { uploadUrl: url, headers }: PresignedUpload,
  bytes: Blob,
  { signal, onProgress }: UploadOptions,
): Promise<void> {
  await retried(connection, { isSafe: true, signal }, async (attempt) => {
    try {
      await put(connection, { url, headers, bytes, signal, onProgress });
    } catch (error) {
      const isStored = error instanceof Problem && attempt > 0 && (error.status === 409 || error.status === 412);
      if (!isStored) throw error;
    }
  });
}

/** Uploads a file: presigns, PUTs the bytes, and makes the document. */
export async function upload(
  connection: Connection,
  file: Blob | Uint8Array<ArrayBuffer>,
  options: UploadOptions = {},
): Promise<Uploaded> {
  const bytes = file instanceof Blob ? file : new Blob([file]);
  const found = options.dedupe === true ? await existing(connection, bytes, options) : null;
  if (found !== null) return { document: found, isNew: false };
  const row = isWorkflowKey(connection) ? rows.ingestion.presign : rows.service.presign;
  const presigned = await request(connection, row, declared(connection, bytes, options), options);
  const target = (await presigned.json()) as PresignedUpload;
  await store(connection, target, bytes, options);
  await options.onStored?.(target.objectKey);
  return acknowledge(connection, target.objectKey, options);
}
