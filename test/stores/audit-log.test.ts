import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createAuditLog, type AuditLog } from '#src/stores/audit-log.ts';
import { newId } from '#src/domain/ids.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';

let database: TestDatabase;
let log: AuditLog;
beforeAll(async () => {
  database = await testDatabase();
  log = createAuditLog(database.collections);
});
afterAll(() => database.close());

const said = (organizationId: string, action: string, target = 'x') =>
  log.record({ organizationId, actor: 'usr_a', action, target, detail: { n: 1 }, ip: '192.0.2.7' });

/** All records, page by page. */
async function pagesOf(organizationId: string, limit: number, action?: string) {
  const pages = [];
  let after = null;
  for (;;) {
    const page = await log.list(organizationId, action === undefined ? {} : { action }, after, limit);
    pages.push(page.map(({ target }) => target));
    const last = page.at(-1);
    if (last === undefined || page.length < limit) return pages;
    after = { createdAt: last.at, id: last.id };
  }
}

test('pages over records of one moment show each of them once', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-03-01T12:00:00Z') });
  const organizationId = newId('organization');
  try {
    for (let index = 0; index < 7; index += 1) await said(organizationId, 'key.issue', `at noon ${index}`);
    vi.setSystemTime(new Date('2026-03-01T12:00:01Z'));
    await said(organizationId, 'key.issue', 'later');
  } finally {
    vi.useRealTimers();
  }
  const pages = await pagesOf(organizationId, 3);
  expect(pages.map((page) => page.length)).toEqual([3, 3, 2]);
  expect(pages[0]?.[0]).toBe('later');
  expect(new Set(pages.flat()).size).toBe(8);
});

test('records are told with who, what, when and from where, newest first, to their own organization only', async () => {
  const organizationId = newId('organization');
  await said(organizationId, 'key.issue', 'first');
  await said(organizationId, 'member.role', 'second');
  const [row] = await log.list(organizationId, { action: 'key' }, null, 10);
  expect(row).toEqual({
    id: expect.stringMatching(/^evt_/),
    at: expect.any(Date),
    organizationId,
    actor: 'usr_a',
    action: 'key.issue',
    target: 'first',
    detail: { n: 1 },
    ip: '192.0.2.7',
  });
  expect(await log.list(newId('organization'), {}, null, 10)).toEqual([]);
});

test('an area is all its actions, and no other area that begins alike', async () => {
  const organizationId = newId('organization');
  for (const action of ['key.issue', 'key.revoke', 'keyring.open', 'member.role', 'ke.y'])
    await said(organizationId, action);
  const actions = async (action: string) =>
    (await log.list(organizationId, { action }, null, 10)).map((row) => row.action).toSorted();
  expect(await actions('key')).toEqual(['key.issue', 'key.revoke']);
  expect(await actions('key.issue')).toEqual(['key.issue']);
  expect(await actions('key.')).toEqual([]);
  expect(await actions('document')).toEqual([]);
});

test('the log knows no way to change or delete what it holds, and the same record twice is two', async () => {
  expect(Object.keys(log).toSorted()).toEqual(['list', 'record']);
  const organizationId = newId('organization');
  await said(organizationId, 'key.issue');
  const before = await log.list(organizationId, {}, null, 10);
  await said(organizationId, 'key.issue');
  const after = await log.list(organizationId, {}, null, 10);
  expect(after).toHaveLength(2);
  expect(after).toEqual(expect.arrayContaining([...before]));
});
