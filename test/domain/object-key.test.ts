import { describe, expect, test } from 'vitest';
import { documentTypes } from '#src/contracts/media-types.ts';
import { AckBody } from '#src/contracts/resources/upload.ts';
import { sortableToken } from '#src/domain/ids.ts';
import { pinnedKey, thumbnailKey, uploadKey } from '#src/domain/documents/object-key.ts';
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
    for (const objectKey of [pinnedKey(document, 'image/png'), thumbnailKey(document)]) {
      expect(objectKey).toMatch(/^documents\/org_O\/prj_P\/doc_D\//);
      expect(AckBody.safeParse({ objectKey }).success).toBe(false);
    }
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
    expect(() => projectFor(principal, 'prj_R')).toThrow('No project with this id');
  });
});
