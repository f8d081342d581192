import { createHash } from 'node:crypto';
import { BSON } from 'mongodb';
import { UsageError } from '#scripts/cli/with-app.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { DocumentRecord, UploadRecord } from '#src/domain/documents/document.ts';
import { objectKeysOf, pinnedKey } from '#src/domain/documents/object-key.ts';
import type { ObjectStore } from '#src/domain/ports/object-store.ts';
import { withMembers, type Row } from '#scripts/migrate/rows.ts';

/** The two stores of a copy that moves objects. */
export interface Move {
  readonly from: ObjectStore;
  readonly to: ObjectStore;
}

/** Number and bytes of objects, and keys of documents that the source does not have. */
export interface Moved {
  readonly objects: number;
  readonly bytes: number;
  readonly missing: readonly string[];
}

/** Prefix of uploads, which the rule of a bucket deletes after days. */
const incoming = 'uploads/';

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Key of a document's bytes in the target: where uploads can be replaced, or are deleted by a rule, acknowledged ones are kept apart. */
function placeOf(document: DocumentRecord, { to }: Move): string {
  const { pinnedKey: key, contentType } = document;
  return !to.writeOnce && key.startsWith(incoming) ? pinnedKey(document, contentType) : key;
}

async function refusing<T>(key: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new UsageError(`Object ${key} cannot be copied: ${error.detail} Then run the command again.`, {
      cause: error,
    });
  }
}

interface Wanted {
  readonly key: string;
  readonly place: string;
  readonly sha256: string | null;
}

/** Copies one object, unless the target has these bytes. Reads back what it stored. null: the source does not have it. */
async function moveObject(
  { from, to }: Move,
  { key, place, sha256 }: Wanted,
): Promise<{ readonly sizeBytes: number; readonly isNew: boolean } | null> {
  const found = await refusing(key, from.read(key));
  if (found === null) return null;
  const { bytes, head } = found;
  const digest = digestOf(bytes);
  if (sha256 !== null && sha256 !== digest)
    throw new UsageError(
      `Object ${key} is damaged in the source: its bytes are not those that were acknowledged. Restore it from a backup, or delete its document; then run the command again.`,
    );
  const earlier = await refusing(place, to.read(place));
  if (earlier === null) await refusing(place, to.put(place, bytes, head.contentType));
  const stored = earlier ?? (await refusing(place, to.read(place)));
  const isSame =
    stored?.bytes.length === bytes.length &&
    digestOf(stored.bytes) === digest &&
    stored.head.contentType === head.contentType;
  if (stored === null || !isSame)
    throw new UsageError(
      earlier === null
        ? `The target store does not give back object ${place} as it was sent. Check its disk or service, and run the command again.`
        : `The target store has another object under ${place}. Use an empty folder or bucket.`,
    );
  return { sizeBytes: bytes.length, isNew: earlier === null };
}

const documentOf = (bytes: Uint8Array): DocumentRecord => BSON.deserialize(bytes) as DocumentRecord;

/** Copies the bytes of a document, and its pictures where it has some: others are made when they are asked for. */
async function moveDocument(move: Move, document: DocumentRecord): Promise<Moved> {
  const { pinnedKey: key, sha256, objectKey } = document;
  const pinned = await moveObject(move, { key, place: placeOf(document, move), sha256 });
  let [objects, bytes] = pinned === null ? [0, 0] : [1, pinned.sizeBytes];
  const hasPictures = (document.pictureBytes ?? 0) > 0;
  const pictures = hasPictures ? objectKeysOf(document).filter((one) => one !== key && one !== objectKey) : [];
  for (const picture of pictures) {
    const head = await moveObject(move, { key: picture, place: picture, sha256: null });
    if (head === null) continue;
    objects += 1;
    bytes += head.sizeBytes;
  }
  return {
    objects,
    bytes,
    missing: pinned === null && (document.deletedAt === undefined || document.trash !== undefined) ? [key] : [],
  };
}

/** Copies the objects that a row names. Rows of other collections than `documents` and `uploads` name none of their own. */
export async function moveObjectsOf(move: Move, collection: string, bytes: Uint8Array): Promise<Moved> {
  if (collection === 'documents') return moveDocument(move, documentOf(bytes));
  if (collection !== 'uploads') return { objects: 0, bytes: 0, missing: [] };
  const { _id: key } = BSON.deserialize(bytes) as UploadRecord;
  const found = await moveObject(move, { key, place: key, sha256: null });
  // The upload of a document that was acknowledged a day ago at most: it counts with the document.
  const counts = found?.isNew === true;
  return { objects: counts ? 1 : 0, bytes: counts ? found.sizeBytes : 0, missing: [] };
}

/** Row as the target has it: a document names its bytes by the key and the tag that they have there. */
export async function placedRow(move: Move, bytes: Uint8Array, row: Row): Promise<Row> {
  const document = documentOf(bytes);
  const place = placeOf(document, move);
  const head = await refusing(place, move.to.head(place));
  return head === null ? row : withMembers(row, { pinnedKey: place, etag: head.etag });
}

/** Keys that a row names and the source has, but the target has not, or with another length. */
export async function lostObjects({ from, to }: Move, collection: string, bytes: Uint8Array): Promise<string[]> {
  if (collection !== 'documents' && collection !== 'uploads') return [];
  const row = BSON.deserialize(bytes);
  const key = String(collection === 'documents' ? row['pinnedKey'] : row['_id']);
  const place = collection === 'documents' ? placeOf(row as DocumentRecord, { from, to }) : key;
  const [source, target] = await Promise.all([refusing(key, from.head(key)), refusing(place, to.head(place))]);
  return source === null || source.sizeBytes === target?.sizeBytes ? [] : [key];
}
