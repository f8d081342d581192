import { createHash, randomBytes } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

export const idPrefixes = {
  organization: 'org',
  project: 'prj',
  workflow: 'wf',
  key: 'key',
  document: 'doc',
  execution: 'exec',
  run: 'run',
  step: 'step',
  ocr: 'ocr',
  description: 'dsc',
  embedding: 'emb',
  segmentation: 'seg',
  delivery: 'dlv',
  webhook: 'wh',
  event: 'evt',
  request: 'req',
  user: 'usr',
  session: 'ses',
  account: 'acc',
  verification: 'vrf',
  passkey: 'pk',
  member: 'mbr',
  invitation: 'inv',
  mail: 'mail',
  conversation: 'chat',
  message: 'msg',
  client: 'oac',
  grant: 'grant',
  dataset: 'ds',
  experiment: 'xp',
  recordType: 'rct',
  record: 'rec',
  view: 'view',
  instance: 'ins',
} as const;
export type IdKind = keyof typeof idPrefixes;

/** Encodes 128 bits in 22 base62 digits. Text order equals numeric order, since the alphabet is in ASCII order. */
function base62(bytes: Buffer): string {
  let value = (bytes.readBigUInt64BE(0) << 64n) | bytes.readBigUInt64BE(8);
  let text = '';
  for (let index = 0; index < 22; index += 1) {
    text = alphabet[Number(value % 62n)] + text;
    value /= 62n;
  }
  return text;
}

/** 22 base62 characters: 48 bits of time in milliseconds, then 80 random bits. Sorts by creation time. */
export function sortableToken(now: Date): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now.getTime(), 0, 6);
  return base62(bytes);
}

/** Creates an id: `<prefix>_` and 22 base62 characters, sortable by time. Source: docs/decisions/0004. */
export function newId(kind: IdKind, now: Date = new Date()): string {
  return `${idPrefixes[kind]}_${sortableToken(now)}`;
}

/** Derives an id from its parts, so that creating the same thing twice gives the same id. Not sortable by time. */
export function derivedId(kind: IdKind, ...parts: readonly string[]): string {
  const digest = createHash('sha256').update(parts.join('\n')).digest();
  return `${idPrefixes[kind]}_${base62(digest.subarray(0, 16))}`;
}

/** Id with another prefix and the same token. An upload and its document, execution and run share a token. */
export function siblingId(kind: IdKind, token: string): string {
  return `${idPrefixes[kind]}_${token}`;
}

/** Execution that the upload of a document with a workflow key starts. Source: `ingest.ack.execution`, docs/decisions/0159. */
export const executionIdOf = (documentId: string): string =>
  siblingId('execution', documentId.slice(`${idPrefixes.document}_`.length));
