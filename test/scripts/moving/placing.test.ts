import { BSON } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { lostObjects, moveObjectsOf, placedRow, type Move } from '#scripts/migrate/objects.ts';
import { decodeExactly, encode } from '#scripts/migrate/rows.ts';
import type { DiskObjectStore } from '#src/adapters/objects/disk/store.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { servedStore, type ServedStore } from '#test/support/objects.ts';
import { storeDocuments } from './support.ts';

let source: ServedStore;
let target: ServedStore;
beforeAll(async () => {
  source = await servedStore();
  target = await servedStore();
});
afterAll(async () => {
  await source.dispose();
  await target.dispose();
});

/** A store as S3 is: uploads can be replaced, and a rule deletes them after days. */
const likeS3 = (store: DiskObjectStore): Move['to'] => ({ ...store, writeOnce: false });
const place = { organizationId: 'org_a', projectId: 'prj_a' };

test('acknowledged bytes leave the uploads where a rule deletes these, and the row names them there', async () => {
  const [document] = (await storeDocuments(source.store, place, 1)) as [DocumentRecord];
  const move: Move = { from: source.store, to: likeS3(target.store) };
  const bytes = BSON.serialize(document);
  expect(await lostObjects(move, 'documents', bytes)).toEqual([document.pinnedKey]);
  expect(await moveObjectsOf(move, 'documents', bytes)).toMatchObject({ objects: 1, missing: [] });
  const pinned = `documents/org_a/prj_a/${document._id}/original.png`;
  const row = decodeExactly(bytes);
  const placed = row === null ? null : BSON.deserialize(encode(await placedRow(move, bytes, row)));
  expect(placed).toEqual({ ...document, pinnedKey: pinned, etag: (await target.store.head(pinned))?.etag });
  expect(await target.store.head(document.pinnedKey)).toBeNull();
  expect(await lostObjects(move, 'documents', bytes)).toEqual([]);
});

test('an object that is there with other bytes, or is damaged in the source, is not taken', async () => {
  const [, document] = await storeDocuments(source.store, { ...place, projectId: 'prj_b' }, 2);
  const move: Move = { from: source.store, to: target.store };
  const bytes = (more: Partial<DocumentRecord>) => BSON.serialize({ ...document, ...more });
  await expect(moveObjectsOf(move, 'documents', bytes({ sha256: '0'.repeat(64) }))).rejects.toThrow(
    /is damaged in the source: .*Restore it from a backup/,
  );
  await target.store.put(document?.pinnedKey ?? '', Buffer.from('other'), 'image/png');
  await expect(moveObjectsOf(move, 'documents', bytes({}))).rejects.toThrow(/has another object under uploads\//);
  expect(await moveObjectsOf(move, 'documents', bytes({ pinnedKey: 'uploads/none.png' }))).toEqual({
    objects: 0,
    bytes: 0,
    missing: ['uploads/none.png'],
  });
});
