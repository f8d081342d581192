import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDocumentStore } from '#src/stores/documents.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import { documentRecord } from '#test/support/records.ts';
import type { DocumentRecord } from '#src/domain/documents/document.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

type Mark = Pick<DocumentRecord, 'duplicateOf' | 'duplicateKind'>;

/** Stores documents of one organization, the oldest first, and returns their marks after the first was removed. */
async function afterRemoval(organizationId: string, marks: readonly Mark[]): Promise<readonly Mark[]> {
  const documents = createDocumentStore(database.collections);
  const first = `doc_${organizationId}_0`;
  for (const [at, mark] of [{}, ...marks].entries())
    await documents.insert(
      documentRecord({ _id: `doc_${organizationId}_${at}`, organizationId, createdAt: new Date(at * 1_000), ...mark }),
    );
  await documents.markDeleted({ organizationId, projectIds: ['prj_1'] }, first, new Date());
  await database.collections.documents.updateOne({ _id: first }, { $set: { deletedAt: new Date() } });
  await documents.remove(organizationId, first);
  const left = await database.collections.documents.find({ organizationId }).sort({ createdAt: 1 }).toArray();
  return left.map(({ duplicateOf, duplicateKind }) => ({
    ...(duplicateOf !== undefined && { duplicateOf: duplicateOf.replace(organizationId, 'x') }),
    ...(duplicateKind !== undefined && { duplicateKind }),
  }));
}
const exact = (organizationId: string): Mark => ({ duplicateOf: `doc_${organizationId}_0` });
const near = (organizationId: string): Mark => ({ ...exact(organizationId), duplicateKind: 'near' });

test('a copy of the same bytes takes the place of the removed document', async () => {
  expect(await afterRemoval('a', [exact('a'), near('a'), exact('a')])).toEqual([
    {},
    { duplicateOf: 'doc_x_1', duplicateKind: 'near' },
    { duplicateOf: 'doc_x_1' },
  ]);
});

test('an older near duplicate takes it, and copies of the same bytes stay copies of each other', async () => {
  expect(await afterRemoval('b', [near('b'), exact('b'), exact('b'), near('b')])).toEqual([
    {},
    { duplicateOf: 'doc_x_1', duplicateKind: 'near' },
    { duplicateOf: 'doc_x_2' },
    { duplicateOf: 'doc_x_1', duplicateKind: 'near' },
  ]);
});

test('a mark that names a document that is gone is taken back', async () => {
  const documents = createDocumentStore(database.collections);
  const [copy, first] = ['doc_c_1', 'doc_c_0'];
  await documents.insert(documentRecord({ _id: copy, organizationId: 'c' }));
  expect(await documents.markNear({ _id: copy, organizationId: 'c' }, first)).toBeNull();
  expect(await documents.findInOrganization('c', copy)).not.toHaveProperty('duplicateOf');
  await documents.insert(documentRecord({ _id: first, organizationId: 'c' }));
  expect(await documents.markNear({ _id: copy, organizationId: 'c' }, first)).toMatchObject({ duplicateKind: 'near' });
  // Bytes decide before pictures.
  await database.collections.documents.updateOne({ _id: copy }, { $unset: { duplicateKind: true } });
  expect(await documents.markNear({ _id: copy, organizationId: 'c' }, first)).toBeNull();
});
