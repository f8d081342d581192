import { MongoClient, type CommandStartedEvent, type Document } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { collectionsOf } from '#src/stores/collections.ts';
import { createTokenAccessReader } from '#src/stores/token-access.ts';
import { newId } from '#src/domain/ids.ts';
import { storesOf, testDatabase, type TestDatabase } from '#test/support/database.ts';
import { oauthClient, oauthGrant, oauthToken } from '#test/support/oauth/records.ts';

let database: TestDatabase;
let client: MongoClient;
const commands: Document[] = [];
beforeAll(async () => {
  database = await testDatabase();
  client = new MongoClient(database.uri, { monitorCommands: true });
  client.on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
    if (commandName === 'find' || commandName === 'aggregate') commands.push(command);
  });
});
afterAll(async () => {
  await client.close();
  await database.close();
});

test('tokens that come at once are looked up at once, with all that decides about them', async () => {
  const db = client.db(database.collections.users.dbName);
  const collections = collectionsOf(db);
  const { oauth, organizations, members } = storesOf(database.client);
  const createdAt = new Date();
  const organizationId = newId('organization');
  const projectId = newId('project');
  const userId = newId('user');
  await organizations.insertOrganization({ _id: organizationId, name: 'One', createdAt });
  await organizations.insertProject({ _id: projectId, organizationId, name: 'P', createdAt });
  await organizations.insertProject({ _id: 'prj_other', organizationId: 'org_other', name: 'P', createdAt });
  await members.add({ organizationId, userId, role: 'editor' });
  await members.add({ organizationId: 'org_other', userId, role: 'owner' });
  const person = { emailVerified: false, image: null, createdAt, updatedAt: createdAt };
  await collections.users.insertOne({ _id: userId, name: 'Ada', email: 'ada@example.com', ...person });
  const grants = Array.from({ length: 3 }, () =>
    oauthGrant({ organizationId, userId, projectIds: [projectId, 'prj_other'] }, oauthClient()),
  );
  const tokens = grants.map((grant) => oauthToken(grant, 'access'));
  const orphan = oauthToken(oauthGrant({ organizationId, userId, projectIds: [] }, oauthClient()), 'access');
  for (const grant of grants) await oauth.insertGrant(grant);
  await oauth.insertTokens([...tokens, orphan]);

  const reader = createTokenAccessReader(collections);
  commands.length = 0;
  const found = await Promise.all([...tokens, orphan, { _id: 'unknown' }].map(({ _id }) => reader.find(_id)));
  expect(commands).toHaveLength(1);
  expect(found).toEqual([
    ...tokens.map((token, index) => ({
      token,
      grant: grants[index],
      member: { name: 'Ada', email: 'ada@example.com', role: 'editor', projectRoles: {} },
      lacksSecondFactor: false,
      organizationName: 'One',
      projects: [{ id: projectId, name: 'P' }],
    })),
    null,
    null,
  ]);
});
