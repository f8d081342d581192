import { afterAll, beforeAll, expect, test } from 'vitest';
import { modernClient } from '#test/mcp/listener.ts';
import { copiesOf, drawForm, drawReceipt } from './drawn-pages.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { eventsIn, collectionsIn } from '#test/support/stored.ts';
import { startTestApp, type TestApp } from '#test/support/test-app.ts';
import { verifies } from '#test/support/verifies.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
}, 60_000);
afterAll(() => app[Symbol.asyncDispose]());

const receipt = {
  number: '004-118273',
  date: '2024-05-17',
  prices: ['4.38', '3.25', '4.79', '9.49'],
  total: '21.91',
} as const;
const later = {
  number: '004-118391',
  date: '2024-06-02',
  prices: ['4.38', '3.25', '4.79', '9.49'],
  total: '21.91',
} as const;

const kindOf = (bytes: Buffer): string => (bytes[0] === 0xff ? 'image/jpeg' : 'image/png');
/** Uploads a page with the workflow key of a project, and waits until it is indexed. */
async function add(bytes: Buffer, key = app.seed.workflowKey): Promise<string> {
  const objectKey = await app.put(bytes, kindOf(bytes), key);
  const { status, body } = await app.call('POST', '/api/uploads/ack', { key, body: { objectKey } });
  expect(status).toBe(201);
  await app.app.idle();
  return body.document.id;
}
const get = async (id: string, key = app.seed.serviceKey) =>
  (await app.call('GET', `/api/service/documents/${id}`, { key })).body;
const remove = async (id: string): Promise<void> => {
  const { status } = await app.call('DELETE', `/api/service/documents/${id}`, { key: app.seed.agentKey });
  expect(status).toBe(200);
  await app.app.idle();
};

verifies(
  'document.near_duplicates',
  async () => {
    const page = await drawReceipt(receipt);
    const first = await add(page);
    expect(await get(first)).not.toHaveProperty('duplicateOf');
    const copies = new Map<string, string>();
    for (const [done, copy] of Object.entries(copiesOf(page))) copies.set(done, await add(await copy()));
    for (const [done, id] of copies)
      expect(await get(id), done).toMatchObject({ duplicateOf: first, duplicateKind: 'near' });

    // Bytes decide before pictures, and are told at ack.
    const objectKey = await app.put(page, 'image/png');
    const again = await app.call('POST', '/api/uploads/ack', { key: app.seed.workflowKey, body: { objectKey } });
    expect(again.body.document).toMatchObject({ duplicateOf: first, duplicateKind: 'exact' });
    await app.app.idle();
    expect(await get(again.body.document.id)).toMatchObject({ duplicateOf: first, duplicateKind: 'exact' });

    // Receipts of the same shop, and other pages of a form, are documents of their own.
    const form = await add(await drawForm({ Name: 'Linnea Ashgrove', Plate: 'KVR 5083', Date: '02 July 2024' }));
    const others = [
      await drawReceipt(later),
      await drawReceipt({ ...receipt, number: '004-118274' }),
      await drawReceipt({ ...later, prices: ['4.38', '6.50', '4.79', '8.99'], total: '24.66' }),
      await drawForm({ Name: 'Torben Larsson', Plate: 'HXE 7741', Date: '05 July 2024' }),
      await drawForm({ Name: 'Linnea Ashgrove', Plate: 'KVR 5083', Date: '09 July 2025' }),
    ];
    for (const bytes of others) expect(await get(await add(bytes))).not.toHaveProperty('duplicateOf');
    expect(await get(form)).not.toHaveProperty('duplicateOf');

    // Those that are marked come first among similar ones, and no other receipt of the shop is called a duplicate.
    const similar = `/api/service/documents/${first}/similar?by=picture&limit=50`;
    const like = (await app.call('GET', similar, { key: app.seed.serviceKey })).body.documents;
    const near = like.filter((one: { isNearDuplicate: boolean }) => one.isNearDuplicate);
    const marked = [...copies.values(), again.body.document.id];
    expect(new Set(near.map((one: { id: string }) => one.id))).toEqual(new Set(marked));

    // Agents, lists, cards and the feed tell it too.
    const [saved = ''] = copies.values();
    const agent = await modernClient(new URL('/mcp', app.addresses.mcp), app.seed.agentKey);
    const told: any = await agent.callTool({ name: 'get_document', arguments: { documentId: saved } });
    expect(told.structuredContent).toMatchObject({ duplicateOf: first, duplicateKind: 'near' });
    const listed: any = await agent.callTool({ name: 'list_documents', arguments: { limit: 50 } });
    const found = listed.structuredContent.documents.find(({ id }: { id: string }) => id === saved);
    expect(found).toMatchObject({ duplicateOf: first, duplicateKind: 'near' });
    await agent.close();
    const path = `/api/dashboard/documents?organizationId=${app.seed.organizationId}`;
    const cards = (await app.call('GET', path, { cookie: await app.signIn() })).body.documents;
    expect(cards.find(({ id }: { id: string }) => id === saved)).toMatchObject({ duplicateKind: 'near' });
    const stored = await collectionsIn(app.dataDir);
    expect(await eventsIn(stored, { documentId: saved, type: 'document.changed' })).toMatchObject([
      { data: { duplicateOf: first, duplicateKind: 'near' } },
    ]);
    await stored.close();

    // The oldest copy takes the place of a document that is deleted: the one with the same bytes stays one of its own bytes.
    await remove(first);
    const [second = '', ...rest] = copies.values();
    expect(await get(second)).not.toHaveProperty('duplicateOf');
    for (const id of [...rest, again.body.document.id])
      expect(await get(id)).toMatchObject({ duplicateOf: second, duplicateKind: 'near' });
  },
  { timeout: 180_000 },
);

test('a document of another project or organization is nobody’s near-duplicate', async () => {
  const page = await drawReceipt({ ...receipt, number: '007-000001' });
  const copy = await copiesOf(page)['saved as JPEG']?.();
  if (copy === undefined) throw new Error('no copy');
  await add(page);
  for (const where of ['project', 'organization'] as const) {
    const neighbour = await addNeighbour(app, where);
    const theirs = await add(copy, neighbour.workflowKey);
    expect(await get(theirs, neighbour.serviceKey)).not.toHaveProperty('duplicateOf');
  }
}, 60_000);
