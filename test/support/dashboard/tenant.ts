import { collectionsIn } from '#test/support/stored.ts';
import { addNeighbour } from '#test/support/neighbour.ts';
import { oauthClient, oauthGrant } from '#test/support/oauth/records.ts';
import { tinyPng, type TestApp } from '#test/support/test-app.ts';
import { StoredGraph } from '#src/contracts/resources/graph.ts';

/** Another organization with something of every kind, and what of it may never show elsewhere. */
export interface Tenant {
  readonly organizationId: string;
  readonly ids: Readonly<
    Record<
      | 'workflow'
      | 'document'
      | 'execution'
      | 'run'
      | 'project'
      | 'member'
      | 'invitation'
      | 'key'
      | 'conversation'
      | 'app'
      | 'client'
      | 'objectKey'
      // Ids of the caller, sent together with a foreign one.
      | 'ownWorkflow'
      | 'ownDocument',
      string
    >
  >;
  /** Ids and names of theirs. */
  readonly secret: readonly string[];
  /** All that is stored of them now, and what was before anybody tried. */
  stored(): Promise<unknown>;
  readonly before: unknown;
}

const graph = StoredGraph.parse({
  schemaVersion: 1,
  name: 'Their graph',
  state: { out: {} },
  nodes: { a: { type: 'transform', config: { set: { out: '1' } } } },
  edges: [
    { from: 'START', to: 'a' },
    { from: 'a', to: 'END' },
  ],
});

export async function addTenant(app: TestApp): Promise<Tenant> {
  const other = await addNeighbour(app, 'organization');
  const { organizationId, projectId } = other;
  const { deps } = app.app;
  const cookie = await app.signIn({ email: other.operatorEmail, password: other.operatorPassword });
  const ask = async (method: string, path: string, body?: object, key?: string): Promise<any> => {
    const by = key === undefined ? { cookie } : { key };
    const answer = await app.call(method, path, { ...by, ...(body === undefined ? {} : { body }) });
    if (answer.status >= 300) throw new Error(`${path} answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const { workflowId } = await ask('POST', '/api/dashboard/workflows', { graph });
  await ask('POST', `/api/dashboard/workflows/${workflowId}/publish`, { baseVersion: 1 });
  const objectKey = await app.put(tinyPng, 'image/png', other.serviceKey);
  const ack = { objectKey, idempotencyKey: 'theirs' };
  const { document } = await ask('POST', '/api/service/uploads/ack', ack, other.serviceKey);
  const run = { workflowId, documentIds: [document.id] };
  const execution = await ask('POST', '/api/service/workflow-executions', run, other.serviceKey);
  const [member] = await deps.members.list(organizationId);
  const invitation = await ask('POST', '/api/dashboard/invitations', { email: 'their-guest@example.com' });
  await ask('POST', '/api/dashboard/secrets', {
    name: 'TENANT_SECRET',
    value: 'their value',
    hosts: ['api.example.org'],
  });
  const [key] = await deps.apiKeys.list(organizationId);
  if (member === undefined || key === undefined) throw new Error('the tenant lacks a member or a key');
  const conversation = 'chat_TheirConversation00001';
  const now = new Date();
  await deps.conversations.ask(
    {
      _id: conversation,
      organizationId,
      userId: member.userId,
      title: 'Their question',
      scope: {},
      createdAt: now,
      updatedAt: now,
    },
    {
      _id: 'msg_TheirQuestion000000001',
      role: 'user',
      text: 'Their question',
      sources: [],
      modelLabel: null,
      status: 'complete',
      createdAt: now,
    },
    'msg_TheirAnswer00000000001',
  );
  const { client } = await ask('POST', '/api/dashboard/clients', {
    name: 'Their program',
    projectIds: [projectId],
    scopes: ['runs:read'],
  });
  const whose = { organizationId, userId: member.userId, projectIds: [projectId] };
  const connected = oauthGrant(whose, oauthClient({ name: 'Their agent' }));
  await deps.oauth.insertGrant(connected);
  const own = await app.store(tinyPng, 'image/png');
  await app.app.idle();
  const stored = async () => {
    const { close, ...all } = await collectionsIn(app.dataDir);
    const rows = [];
    for (const collection of Object.values(all))
      if (typeof collection === 'object')
        rows.push(
          await collection
            .find({ organizationId } as never, { projection: { lastUsedAt: 0 } })
            .sort({ _id: 1 })
            .toArray(),
        );
    await close();
    return rows;
  };
  const [theirRun] = execution.runs;
  const ids = {
    workflow: workflowId,
    document: document.id,
    execution: execution.id,
    run: theirRun.runId,
    project: projectId,
    member: member.memberId,
    invitation: invitation.invitationId,
    key: key._id,
    conversation,
    app: connected._id,
    client: client.clientId,
    objectKey,
  };
  return {
    organizationId,
    ids: { ...ids, ownWorkflow: app.seed.workflowId, ownDocument: own.id },
    secret: [
      ...Object.values(ids),
      organizationId,
      member.email,
      member.userId,
      'Their graph',
      'their value',
      'Their program',
      'Their agent',
      'Neighbour',
    ],
    stored,
    before: await stored(),
  };
}
