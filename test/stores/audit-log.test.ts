import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createAuditLog, type AuditLog } from '#src/stores/audit-log.ts';
import { AppError } from '#src/domain/app-error.ts';
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
  log.note([{ organizationId, actor: 'usr_a', action, target, detail: { n: 1 }, ip: '192.0.2.7' }]);

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
    outcome: 'done',
    count: 1,
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

test('the log knows no way to change or delete what was recorded, and the same record twice is two', async () => {
  expect(Object.keys(log).toSorted()).toEqual(['count', 'during', 'list', 'note', 'noteOnce']);
  const organizationId = newId('organization');
  await said(organizationId, 'key.issue');
  const before = await log.list(organizationId, {}, null, 10);
  await said(organizationId, 'key.issue');
  const after = await log.list(organizationId, {}, null, 10);
  expect(after).toHaveLength(2);
  expect(after).toEqual(expect.arrayContaining([...before]));
});

const entryIn = (organizationId: string) => ({
  organizationId,
  actor: 'usr_a',
  action: 'call.x',
  target: 'x',
  detail: {},
});
const toldIn = async (organizationId: string) =>
  (await log.list(organizationId, {}, null, 10)).map(({ action, outcome }) => `${action} ${outcome}`).toSorted();

test('a deed is in the log before it happens, and is completed by its record', async () => {
  const organizationId = newId('organization');
  const entry = entryIn(organizationId);
  await log.during(entry, async (deed) => {
    expect(await toldIn(organizationId)).toEqual(['call.x unfinished']);
    await deed.record({ ...entry, action: 'key.issue' });
    expect(await toldIn(organizationId)).toEqual(['key.issue done']);
    await deed.record({ ...entry, action: 'key.rotate' });
  });
  expect(await toldIn(organizationId)).toEqual(['key.issue done', 'key.rotate done']);
});

test('a deed that was refused, or did nothing, leaves no record; one that broke off stays as unfinished', async () => {
  const organizationId = newId('organization');
  const entry = entryIn(organizationId);
  await log.during(entry, async () => undefined);
  const refused = log.during(entry, async () => {
    throw new AppError('key.not_found', 'There is no such key.');
  });
  await expect(refused).rejects.toThrow('no such key');
  expect(await toldIn(organizationId)).toEqual([]);
  const broken = log.during(entry, async () => {
    throw new Error('the database went away');
  });
  await expect(broken).rejects.toThrow('went away');
  expect(await toldIn(organizationId)).toEqual(['call.x unfinished']);
});

test('a deed that the log cannot announce does not happen', async () => {
  const insertMany = () => Promise.reject(new Error('the database is down'));
  const down = createAuditLog({ audit: { insertMany } as unknown as TestDatabase['collections']['audit'] });
  let happened = false;
  const deed = down.during(entryIn('org_a'), async () => {
    happened = true;
  });
  await expect(deed).rejects.toThrow('the database is down');
  expect(happened).toBe(false);
});

test('what is counted is one record for each actor and minute, in few writes', async () => {
  const organizationId = newId('organization');
  let writes = 0;
  const { audit } = database.collections;
  const counting = new Proxy(audit, {
    get(target, name) {
      if (name !== 'bulkWrite') return Reflect.get(target, name) as unknown;
      return (...given: Parameters<typeof audit.bulkWrite>) => {
        writes += given[0].length;
        return target.bulkWrite(...given);
      };
    },
  });
  const counted = createAuditLog({ audit: counting });
  const at = new Date('2026-03-01T12:00:30Z');
  for (let n = 0; n < 1_000; n += 1) counted.count({ ...entryIn(organizationId), action: 'access.refused' }, at);
  counted.count({ ...entryIn(organizationId), actor: 'usr_b', action: 'access.refused' }, at);
  counted.count({ ...entryIn(organizationId), action: 'access.refused' }, new Date('2026-03-01T12:01:00Z'));
  // The rest of a minute is written with the first count of the next one.
  expect(writes).toBe(13);
  const rows = async () => (await log.list(organizationId, {}, null, 10)).map(({ actor, count }) => [actor, count]);
  await expect.poll(rows).toEqual(
    expect.arrayContaining([
      ['usr_a', 1_000],
      ['usr_b', 1],
      ['usr_a', 1],
    ]),
  );
});

test('an event is noted once, however often it is told', async () => {
  const organizationId = newId('organization');
  for (let n = 0; n < 3; n += 1) await log.noteOnce(entryIn(organizationId), ['run_a', 'TOKEN']);
  await log.noteOnce(entryIn(organizationId), ['run_b', 'TOKEN']);
  expect(await toldIn(organizationId)).toEqual(['call.x done', 'call.x done']);
});
