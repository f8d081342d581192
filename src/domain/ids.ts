import { hash, randomUUID } from 'node:crypto';

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

/** 62 ** 8, which a number holds exactly. */
const eightDigits = 62 ** 8;
const eightDigitsBig = BigInt(eightDigits);

function digitsOf(value: number, count: number): string {
  let text = '';
  let left = value;
  for (let index = 0; index < count; index += 1) {
    text = alphabet.charAt(left % 62) + text;
    left = Math.floor(left / 62);
  }
  return text;
}

/**
 * Encodes 128 bits in 22 base62 digits. Text order equals numeric order, since the alphabet is in ASCII order. Divides large integers twice only:
 * each request has an id.
 */
function base62(value: bigint): string {
  const above = value / eightDigitsBig;
  const [high, middle, low] = [above / eightDigitsBig, above % eightDigitsBig, value % eightDigitsBig];
  return digitsOf(Number(high), 6) + digitsOf(Number(middle), 8) + digitsOf(Number(low), 8);
}

/** 22 base62 characters: 48 bits of time in milliseconds, then 80 random bits. Sorts by creation time. */
export function sortableToken(now: Date): string {
  // Node prepares random UUIDs in advance. These digits of one, 32 and 48 bits, are all random.
  const uuid = randomUUID();
  return base62(BigInt(`0x${now.getTime().toString(16)}${uuid.slice(0, 8)}${uuid.slice(24)}`));
}

/** Creates an id: `<prefix>_` and 22 base62 characters, sortable by time. Source: docs/decisions/0004. */
export function newId(kind: IdKind, now: Date = new Date()): string {
  return `${idPrefixes[kind]}_${sortableToken(now)}`;
}

/** Derives an id from its parts, so that creating the same thing twice gives the same id. Not sortable by time. */
export function derivedId(kind: IdKind, ...parts: readonly string[]): string {
  const digest = hash('sha256', parts.join('\n'), 'hex');
  return `${idPrefixes[kind]}_${base62(BigInt(`0x${digest.slice(0, 32)}`))}`;
}

/** Id with another prefix and the same token. An upload and its document, execution and run share a token. */
export function siblingId(kind: IdKind, token: string): string {
  return `${idPrefixes[kind]}_${token}`;
}

/** Execution that the upload of a document with a workflow key starts. Source: `ingest.ack.execution`, docs/decisions/0159. */
export const executionIdOf = (documentId: string): string =>
  siblingId('execution', documentId.slice(`${idPrefixes.document}_`.length));
