import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BSON, type Document } from 'mongodb';
import { collectionsOf } from '#src/stores/collections.ts';
import { connectDatabase, type Database } from '#src/stores/connect.ts';
import { createSearchIndex, type SearchIndex } from '#src/stores/search/search-index.ts';
import { mostProjects } from '#src/domain/access/organization.ts';
import { asEveryProject, isEveryProject } from '#src/domain/access/tenant.ts';
import { createLocalModels } from '#src/adapters/models/local/create-local-models.ts';
import { SessionAuthenticator } from '#src/auth/session-authenticator.ts';
import { roles, type Role } from '#src/contracts/organization/member.ts';
import { testDatabase, type TestDatabase } from '#test/support/database.ts';
import { actingDatabase, type ActingDatabase } from '#test/support/servers/acting-database.ts';

const { text: embedder } = createLocalModels();
const projectIds = Array.from({ length: mostProjects }, (_, n) => `prj_${String(n).padStart(24, '0')}`);
const [first = '', second = ''] = projectIds;
/** Made after the caller was authenticated. */
const later = 'prj_later';

let database: TestDatabase;
let acting: ActingDatabase;
let connection: Database;
let index: SearchIndex;
const sent: Document[] = [];

async function add(documentId: string, organizationId: string, projectId: string, visibility: 'private' | 'public') {
  const ocrText = 'walnut table W4711';
  const { vector } = await embedder.embedDocument(ocrText);
  await index.upsert({
    documentId,
    organizationId,
    projectId,
    apiKeyId: null,
    visibility,
    objectKey: `uploads/${documentId}.png`,
    createdAt: new Date(),
    title: '',
    description: '',
    ocrText,
    segmentationText: '',
    identifiers: ['w4711'],
    embeddings: { text: { label: embedder.label, vector } },
  });
}

beforeAll(async () => {
  database = await testDatabase();
  acting = await actingDatabase(database.uri, (command) => {
    sent.push(command);
    return null;
  });
  connection = connectDatabase(acting.uri);
  index = createSearchIndex(collectionsOf(connection.db), { mode: 'hybrid', embedder });
  await add('doc_first', 'org_a', first, 'private');
  await add('doc_second', 'org_a', second, 'private');
  await add('doc_later', 'org_a', later, 'private');
  await add('doc_public', 'org_a', second, 'public');
  await add('doc_theirs', 'org_b', first, 'private');
  await add('doc_their_public', 'org_b', first, 'public');
});
afterAll(async () => {
  await connection.close();
  await acting[Symbol.asyncDispose]();
  await database.close();
});

async function found(ids: readonly string[], ownOnly = false) {
  sent.length = 0;
  const { hits } = await index.search({
    organizationId: 'org_a',
    projectIds: ids,
    ownOnly,
    text: 'W4711 walnut table',
    limit: 20,
  });
  const asked = sent.filter((one) => one['find'] === 'searchRecords' || one['aggregate'] === 'searchRecords');
  return {
    ids: hits.map(({ documentId }) => documentId).toSorted(),
    commands: asked.length,
    naming: asked.filter((one) => JSON.stringify(one).includes('projectId')).length,
    withoutOrganization: asked.filter((one) => !JSON.stringify(one).includes('org_a')).length,
    bytes: asked.reduce((sum, one) => sum + BSON.calculateObjectSize(one), 0),
  };
}

const all = ['doc_first', 'doc_later', 'doc_public', 'doc_second'];

describe('A search of a caller who reads every project', () => {
  test('names the organization alone, in each of its queries', async () => {
    const named = await found(projectIds);
    const every = await found(asEveryProject(projectIds));
    expect(named.naming).toBe(named.commands);
    expect(every).toMatchObject({ ids: all, commands: named.commands, naming: 0, withoutOrganization: 0 });
    expect(every.bytes * 20).toBeLessThan(named.bytes);
    expect((await found(asEveryProject(projectIds), true)).ids).toEqual(all);
  });

  test('finds what the ids find, and projects that were made meanwhile; nothing of another organization', async () => {
    expect((await found(projectIds)).ids).toEqual(all.filter((id) => id !== 'doc_later'));
    expect((await found(asEveryProject([first]))).ids).toEqual(all);
  });

  test('has the same highlights and similar documents', async () => {
    const scope = { organizationId: 'org_a', projectIds: asEveryProject([first]) };
    const highlights = await index.highlights({
      ...scope,
      text: 'walnut',
      documentIds: ['doc_later', 'doc_theirs', 'doc_their_public'],
    });
    expect([...highlights.keys()]).toEqual(['doc_later']);
    const similar = await index.similar({ ...scope, documentId: 'doc_first', by: ['text'], limit: 10 });
    expect(similar?.hits.map(({ documentId }) => documentId).toSorted()).toEqual(
      all.filter((id) => id !== 'doc_first'),
    );
    expect(await index.similar({ ...scope, documentId: 'doc_theirs', by: ['text'], limit: 10 })).toBeNull();
  });

  test('is limited again by any list that is made of the ids', async () => {
    const every = asEveryProject(projectIds);
    const narrowed = [
      every.filter((id) => id === first),
      [...every].slice(0, 1),
      every.slice(0, 1),
      every.toSorted().slice(0, 1),
      structuredClone(every).slice(0, 1),
      JSON.parse(JSON.stringify(every.slice(0, 1))) as string[],
      [...new Set(every)].slice(0, 1),
    ];
    for (const ids of narrowed) {
      expect(isEveryProject(ids)).toBe(false);
      expect((await found(ids, true)).ids).toEqual(['doc_first']);
    }
    for (const ids of [[...every], structuredClone(every), JSON.parse(JSON.stringify(every)), every.map((id) => id)])
      expect(isEveryProject(ids)).toBe(false);
  });
});

test.each(roles.map((role) => [role, role === 'owner' || role === 'admin'] as const))(
  'the session of a member with the role %s reads every project: %s',
  async (role: Role, reads) => {
    const membership = { organizationId: 'org_a', userId: 'usr_a', role, projectRoles: {} } as never;
    const sessions = new SessionAuthenticator({
      sessions: {
        read: async () => ({
          sessionId: 'ses_a',
          userId: 'usr_a',
          email: 'a@example.com',
          name: 'A',
          provedAt: new Date(),
          hasSecondFactor: false,
          activeOrganizationId: 'org_a',
        }),
      } as never,
      members: { membership: async () => membership },
      organizations: {
        listProjects: async () =>
          projectIds.map((_id) => ({ _id, organizationId: 'org_a', name: _id, createdAt: new Date() })),
        findOrganization: async () => null,
      },
    });
    const principal = await sessions.byCookie('any');
    expect(principal.projectIds).toEqual(projectIds);
    expect(isEveryProject(principal.projectIds)).toBe(reads);
  },
);
