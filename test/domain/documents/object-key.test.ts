import { describe, expect, test } from 'vitest';
import { documentTypes } from '#src/contracts/media-types.ts';
import { AckBody } from '#src/contracts/resources/upload.ts';
import { sortableToken } from '#src/domain/ids.ts';
import { objectKeysOf, pageWidths, pictureKey, pinnedKey, turns, uploadKey } from '#src/domain/documents/object-key.ts';
import { projectFor, type Principal } from '#src/domain/access/principal.ts';

const principal: Principal = {
  kind: 'workflow-key',
  actorId: 'key_K',
  actorName: 'K',
  keyId: 'key_K',
  session: null,
  organizationId: 'org_O',
  projectIds: ['prj_P', 'prj_Q'],
  scopes: new Set(),
  agentGraphId: 'wf_W',
};
const place = { organizationId: 'org_O', projectId: 'prj_P', actorId: 'key_K' };
const now = new Date('2026-03-09T23:59:59.999Z');
const document = { _id: 'doc_D', organizationId: 'org_O', projectId: 'prj_P' };

describe('Object keys', () => {
  test('of a workflow key lie under organization, project, key and month (UTC)', () => {
    expect(uploadKey({ ...place, family: 'workflow-key', token: 'T', type: 'image/jpeg', now })).toBe(
      'uploads/org_O/prj_P/key_K/2026/03/T.jpg',
    );
  });

  test('of the service lie under service-api', () => {
    expect(uploadKey({ ...place, family: 'service', token: 'T', type: 'application/pdf', now })).toBe(
      'uploads/org_O/prj_P/service-api/key_K/T.pdf',
    );
  });

  test('of the dashboard lie under dashboard and the user', () => {
    const key = uploadKey({ ...place, actorId: 'usr_U', family: 'dashboard', token: 'T', type: 'image/png', now });
    expect(key).toBe('uploads/org_O/prj_P/dashboard/usr_U/T.png');
  });

  test.each(documentTypes)('for %s are accepted by the ack, and fit a key of the store', (type) => {
    for (const family of ['workflow-key', 'service', 'dashboard'] as const) {
      const objectKey = uploadKey({ ...place, family, token: sortableToken(now), type, now });
      expect(AckBody.safeParse({ objectKey }).success).toBe(true);
      expect(objectKey.length).toBeLessThanOrEqual(512);
      expect(objectKey.split('/').every((segment) => /^[A-Za-z0-9._-]+$/.test(segment))).toBe(true);
    }
  });

  test("of pinned bytes and thumbnails are no client's to write or to acknowledge", () => {
    const thumbnail = pictureKey(document, { kind: 'thumbnail', side: 320 });
    const page = pictureKey(document, { kind: 'page', page: 3, width: 800, rotate: 90 });
    for (const objectKey of [pinnedKey(document, 'image/png'), thumbnail, page]) {
      expect(objectKey).toMatch(/^documents\/org_O\/prj_P\/doc_D\//);
      expect(AckBody.safeParse({ objectKey }).success).toBe(false);
    }
  });
});

describe('All keys of a document', () => {
  const whole = { ...document, objectKey: 'uploads/o/p/k/T.pdf', pinnedKey: pinnedKey(document, 'application/pdf') };

  test('are its bytes, its thumbnails, and each page in each size and turn', () => {
    const keys = objectKeysOf({ ...whole, pages: 3 });
    expect(keys).toContain(whole.objectKey);
    expect(keys).toContain(whole.pinnedKey);
    for (const side of [160, 320, 640]) expect(keys).toContain(pictureKey(document, { kind: 'thumbnail', side }));
    for (const page of [0, 1, 2])
      for (const width of pageWidths)
        for (const rotate of turns) expect(keys).toContain(pictureKey(document, { kind: 'page', page, width, rotate }));
    expect(keys).toHaveLength(2 + 3 + 3 * pageWidths.length * turns.length);
  });

  test('are named once where upload and pinned bytes are one object, and lie in no other document', () => {
    const keys = objectKeysOf({ ...whole, pinnedKey: whole.objectKey, pages: 200 });
    expect(new Set(keys).size).toBe(keys.length);
    const others = keys.filter((key) => key !== whole.objectKey);
    expect(others.every((key) => key.startsWith('documents/org_O/prj_P/doc_D/'))).toBe(true);
  });
});

describe('A principal', () => {
  test('makes things in the project that it names, or in its only one', () => {
    expect(projectFor({ ...principal, projectIds: ['prj_P'] })).toBe('prj_P');
    expect(projectFor(principal, 'prj_Q')).toBe('prj_Q');
  });

  test('has to name one of several, and none of others', () => {
    expect(() => projectFor(principal)).toThrow('say which project');
    expect(() => projectFor({ ...principal, projectIds: [] })).toThrow('say which project');
    expect(() => projectFor(principal, 'prj_R')).toThrow('You have no project with this projectId');
  });
});
