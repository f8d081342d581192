import { elsewhere, listsOwn } from '#test/support/tenancy/elsewhere.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { newRuns } from '#src/domain/runs/new-runs.ts';
import { newId } from '#src/domain/ids.ts';
import { createLocalModels } from '#src/adapters/models/local/create-local-models.ts';
import { documentIntake } from '#graphs/document-intake.workflow.ts';
import { searchChanges, searchReads } from '#test/support/tenancy/search.ts';
import { relayChanges } from '#test/support/tenancy/relay.ts';
import { mcpSessionChanges, mcpSessionReads, seedMcpSession } from '#test/support/tenancy/mcp-sessions.ts';
import { listChanges, listReads, seedDraft } from '#test/support/tenancy/lists.ts';
import { seedWebhook, webhookChanges, webhookReads } from '#test/support/tenancy/webhooks.ts';
import { recordChanges, recordReads, seedRecord } from '#test/support/tenancy/records.ts';
import { experimentChanges, experimentReads, seedExperiment } from '#test/support/tenancy/experiments.ts';
import { hostile } from '#test/support/tenancy/hostile.ts';
import { conversationOf } from '#test/support/dashboard/conversations.ts';
import { methodsOf, storesOf, testDatabase, type Stores, type TestDatabase } from '#test/support/database.ts';
import { oauthOf } from '#test/support/oauth/records.ts';
import {
  documentRecord,
  executionRecord,
  freshTenant,
  pageOf,
  realtimeEvent,
  uploadedDocument,
} from '#test/support/records.ts';
import type { Lease } from '#src/stores/run-queue.ts';
import type { SearchRecord } from '#src/stores/search/rows/row.ts';

/** Everything one organization has, with the ids that another may have guessed. */
interface Seeded {
  readonly organizationId: string;
  readonly projectIds: [string];
  readonly documentId: string;
  readonly document: DocumentRecord;
  readonly record: SearchRecord;
  readonly objectKey: string;
  readonly keyId: string;
  readonly workflowId: string;
  readonly executionId: string;
  readonly runId: string;
  readonly lease: Lease;
  readonly ocrId: string;
  readonly descriptionId: string;
  readonly embeddingId: string;
  readonly segmentationId: string;
  /** An execution of its own: its run waits for an answer, its callback for the outbox. */
  readonly waitingExecutionId: string;
  readonly waitingRunId: string;
  readonly deliveryId: string;
  readonly userId: string;
  readonly email: string;
  readonly memberId: string;
  readonly invitationId: string;
  readonly clientId: string;
  readonly grantId: string;
}

let database: TestDatabase;
let stores: Stores;
/** The one who asks, and the one whose things must stay unseen: the same but for their ids. */
let mine: Seeded;
let theirs: Seeded;
/** Their data after the last change: the next one begins with it. */
let theirRows: Record<string, unknown[]> | undefined;
const now = new Date();
const hosts = ['api.example.org'];
const text = 'The walnut table of invoice INV-2024-0042, paid in full';
const usage = { provider: 'local', model: 'm', ms: 1 };
const value = { title: text, description: text, language: 'en', documentType: '', keyFields: [], tags: [] };
const nothing = { finishedAt: null, ms: null, inputPreview: null, outputPreview: null, usage: null, error: null };
const begun = { fence: 1, nodeId: 'n', type: 't', attempt: 1, status: 'running', startedAt: now, ...nothing } as const;
const openQuestion = { path: 'ask', prompt: 'p', data: null, answerSchema: null, askedAt: now };
const canceled = { code: 'run.canceled', message: 'm' };
const found = {
  modelLabel: 'm',
  prompt: 'p',
  page: 0,
  segments: [],
  unsupportedPrompt: false,
  derivedDocumentId: null,
};
const idempotent = { endpoint: 'executions', key: 'one' };
const stepOf = (_id: string) => ({ _id, ...begun });
const originOf = ({ organizationId, projectIds, documentId, runId }: Seeded) => ({
  organizationId,
  projectId: projectIds[0],
  documentId,
  runId,
  nodeId: 'n',
});
const scopeOf = ({ organizationId, keyId }: Seeded) => ({ organizationId, apiKeyId: keyId, ...idempotent });

function workflowOf(organizationId: string, projectId: string, _id: string) {
  const { graph, graphHash } = documentIntake;
  const workflow = { _id, schemaVersion: 1, organizationId, projectId, name: 'w', description: text } as const;
  const published = { source: 'code', codeName: 'c', publishedVersion: 1, publishedHash: graphHash } as const;
  const made = { author: 't', surface: 'rest', note: null, at: now } as const;
  const kept = { organizationId, graphHash, graph };
  const version = { ...kept, ...made, _id: `${_id}@1`, workflowId: _id, version: 1, fromRevision: 1 };
  const draft = { ...kept, _id, projectId, revision: 1, lastEdit: { revision: 1, operations: [], ...made } };
  const tool = { name: 'read_it', description: text, inputJson: '{}' };
  return { workflow: { ...workflow, ...published, tool, createdAt: now, updatedAt: now }, version, draft };
}

function keyOf(organizationId: string, projectId: string, _id: string, agentGraphId: string) {
  const whose = {
    _id,
    hash: `hash of ${_id}`,
    prefix: 'p',
    kind: 'service',
    name: 'n',
    organizationId,
    projectId,
  } as const;
  const unset = { agentGraphId, expiresAt: null, lastUsedAt: null, revokedAt: null, replacedBy: null };
  return { ...whose, ...unset, deviceId: null, graceUntil: null, createdBy: 'test', createdAt: now };
}

type Place = Pick<Seeded, 'organizationId' | 'projectIds' | 'documentId'>;
const placeOf = ({ organizationId, projectIds, documentId }: Place) => ({
  organizationId,
  projectId: projectIds[0],
  documentId,
});

/** Rows that runs keep beside their results: a question, a secret, a webhook, an outcome in the cache. */
async function seedAround(who: Pick<Seeded, 'organizationId' | 'projectIds' | 'documentId'>) {
  const { organizationId, documentId } = who;
  const place = placeOf(who);
  const derived = documentRecord({ organizationId, projectId: place.projectId, parentDocumentId: documentId });
  await stores.documents.insert(derived);
  const execution = { ...executionRecord({ ...place, documentIds: [documentId] }), callbackPending: true } as const;
  const { runs } = await stores.executions.create(execution, newRuns);
  const lease = (await stores.executions.claim('owner', new Date())) as Lease;
  expect(await stores.executions.wait(lease, [openQuestion])).toBe(true);
  const deliveryId = newId('delivery');
  await seedWebhook(stores, { ...who, projectIds: [place.projectId] }, deliveryId);
  await seedMcpSession(stores, who);
  await stores.secrets.set(place, 'NAME', { value: `secret of ${organizationId}`, hosts }, 'test');
  stores.nodeCache.put(place, 'k', { update: { organizationId }, modelLabel: null, usage: null, runId: lease.run._id });
  await stores.nodeCache.idle();
  return {
    waitingExecutionId: execution._id,
    waitingRunId: runs[0]?._id ?? '',
    deliveryId,
    ...(await seedPeople(who)),
  };
}

/** Two owners, so that one of them could be removed, and an invitation. */
async function seedPeople({ organizationId, documentId }: Pick<Seeded, 'organizationId' | 'documentId'>) {
  const userId = newId('user');
  const email = `${userId.toLowerCase()}@example.com`;
  await database.collections.users.insertOne({ _id: userId, email, name: 'Owner' });
  const { memberId } = await stores.members.add({ organizationId, userId, role: 'owner' });
  await stores.members.add({ organizationId, userId: newId('user'), role: 'owner' });
  const invitationId = newId('invitation');
  const invitation = {
    invitationId,
    organizationId,
    email: `guest-${email}`,
    role: 'viewer',
    inviterId: userId,
    linkHash: invitationId,
  } as const;
  await stores.members.invite({ ...invitation, createdAt: now, expiresAt: new Date(8e12) });
  const { conversation, question, answer } = conversationOf({ organizationId, userId }, documentId);
  await stores.conversations.ask(conversation, question, answer._id);
  await stores.conversations.answer(conversation, question, answer);
  const { client, grant } = oauthOf({ organizationId, userId, projectIds: [] });
  await stores.oauth.insertClient(client);
  await stores.oauth.insertGrant(grant);
  return { userId, email, memberId, invitationId, clientId: client._id, grantId: grant._id };
}

async function seed(): Promise<Seeded> {
  const { organizationId, projectIds } = freshTenant();
  const [projectId] = projectIds;
  const ids = { keyId: newId('key'), workflowId: newId('workflow') };
  const document = uploadedDocument(ids.workflowId, { organizationId, projectId, apiKeyId: ids.keyId });
  const { _id: documentId, objectKey, sizeBytes, contentType } = document;
  const family = 'workflow-key' as const;
  await stores.organizations.insertOrganization({ _id: organizationId, name: 'o', createdAt: now });
  await stores.organizations.insertProject({ _id: projectId, organizationId, name: 'p', createdAt: now });
  await stores.apiKeys.insert(keyOf(organizationId, projectId, ids.keyId, ids.workflowId));
  const { workflow, version, draft } = workflowOf(organizationId, projectId, ids.workflowId);
  await stores.workflows.insert(workflow, { version, draft });
  await stores.documents.insert(document);
  const upload = { _id: objectKey, documentId, family, apiKeyId: ids.keyId, organizationId, projectId, contentType };
  const promised = { sizeBytes, visibility: 'private', createdAt: now, forgetAt: new Date(2e12) } as const;
  await stores.uploads.insert({ ...upload, ...promised });
  await stores.usage.add(document, 5, 1);
  const execution = executionRecord({ organizationId, projectId, documentIds: [documentId], createdAt: now });
  const { runs } = await stores.executions.create(execution, newRuns);
  const lease = (await stores.executions.claim('owner', new Date())) as Lease;
  const around = await seedAround({ organizationId, projectIds, documentId });
  const seeded = { organizationId, projectIds, documentId, document, objectKey, ...ids, ...around, lease };
  const more = { executionId: execution._id, runId: runs[0]?._id ?? '' };
  const origin = originOf({ ...seeded, ...more } as Seeded);
  const result = { engine: 'e', language: 'eng', pages: [pageOf(text)] };
  await stores.results.saveOcrPage(origin, { modelLabel: 'm', page: pageOf(text) });
  const { vector } = await createLocalModels().text.embedDocument(text);
  const ocr = await stores.results.saveOcr(origin, { modelLabel: 'm', text, avgConfidence: 1, result });
  const described = await stores.results.saveDescription(origin, { modelLabel: 'm', value, usage });
  const embedding = await stores.results.saveEmbedding(origin, { kind: 'text', modelLabel: 'm', vector });
  const segmentation = await stores.results.saveSegmentation(origin, found);
  const buckets = new Map([0, 1].map((number) => [number, [stepOf(`step_${number}_${documentId}`)]]));
  await stores.steps.save({ run: lease.run, buckets, further: 1 });
  await stores.events.append([realtimeEvent(organizationId, { documentId })]);
  await stores.audit.note([{ organizationId, actor: 'a', action: 'b', target: documentId, detail: {} }]);
  const request = scopeOf({ ...seeded, ...more } as Seeded);
  await stores.idempotency.begin(request, 'f');
  await stores.idempotency.finish(request, 'f', { status: 202, body: { documentId } });
  const whose = { documentId, organizationId, projectId, apiKeyId: ids.keyId, objectKey, createdAt: now };
  const texts = { title: text, description: text, ocrText: text, segmentationText: '', identifiers: ['inv20240042'] };
  const image = {
    label: createLocalModels().image.label,
    vector: new Float32Array(832).fill(1),
    blockHash: '00ff00ff00ff00ff',
  };
  const embeddings = { text: { label: createLocalModels().text.label, vector }, image };
  const record: SearchRecord = { ...whose, ...texts, visibility: 'public', embeddings };
  await stores.search.upsert(record);
  await seedDraft(stores, { ...seeded, projectIds: [projectId] });
  await seedExperiment(stores, { ...seeded, projectIds: [projectId] });
  await seedRecord(stores, { ...seeded, projectIds: [projectId] });
  const results = {
    ocrId: ocr.ocrResultId,
    descriptionId: described.descriptionId,
    embeddingId: embedding.embeddingId,
    segmentationId: segmentation.segmentationId,
  };
  return { ...seeded, ...more, ...results, record };
}

/** Every read: what `asker` gets to see with the ids of `target`. */
type Read = (asker: Seeded, target: Seeded) => Promise<unknown>;
const reads: Readonly<Record<string, Read>> = {
  ...experimentReads(() => stores),
  ...recordReads(() => stores),
  ...listReads(() => stores),
  ...webhookReads(() => stores),
  ...searchReads(() => stores),
  'apiKeys.find': (who, { keyId }) => stores.apiKeys.find(who.organizationId, keyId),
  'apiKeys.list': (who) => stores.apiKeys.list(who.organizationId),
  'apiKeys.listMadeBy': (who) => stores.apiKeys.listMadeBy(who.organizationId, ['test']),
  'apiKeys.listBound': (who, { workflowId }) => stores.apiKeys.listBound(who.organizationId, workflowId, 20),
  'documents.find': (who, { documentId }) => stores.documents.find(who, documentId),
  'documents.findInOrganization': (who, { documentId }) =>
    stores.documents.findInOrganization(who.organizationId, documentId),
  'documents.findMany': (who, { documentId }) => stores.documents.findMany(who, [documentId]),
  'documents.listIds': (who, { projectIds }) => stores.documents.listIds({ ...who, projectIds }, {}, 100),
  'documents.countReadable': (who, { documentId }) => stores.documents.countReadable(who, [documentId]),
  'documents.thereAmong': async ({ organizationId }, { documentId }) => [
    ...(await stores.documents.thereAmong(organizationId, [documentId])),
  ],
  'documents.projectsOf': async (who, { documentId }) => [...(await stores.documents.projectsOf(who, [documentId]))],
  'documents.countOwned': (who, { documentId, projectIds }) =>
    stores.documents.countOwned({ ...who, projectIds }, [documentId]),
  'documents.derivedFrom': (who, { documentId }) => stores.documents.derivedFrom(who.organizationId, documentId),
  'traces.runsOf': (who, { documentId }) => stores.traces.runsOf(who.organizationId, documentId),
  'uploads.find': (who, { objectKey }) => stores.uploads.find(who.organizationId, objectKey),
  'workflows.find': (who, { workflowId, projectIds }) => stores.workflows.find({ ...who, projectIds }, workflowId),
  'workflows.followersOf': (who, { projectIds }) => stores.workflows.followersOf({ ...who, projectIds }, 'c'),
  'workflows.listPublished': (who, { projectIds }) => stores.workflows.listPublished({ ...who, projectIds }),
  'workflows.listTools': (who, { projectIds }) => stores.workflows.listTools({ ...who, projectIds }, 50),
  'workflows.findVersion': (who, { workflowId }) => stores.workflows.findVersion(who.organizationId, workflowId, 1),
  'workflows.list': (who, { projectIds }) => stores.workflows.list({ ...who, projectIds }, null, 100),
  'workflows.states': (who, { workflowId }) => stores.workflows.states(who.organizationId, [workflowId]),
  'workflows.findDraft': (who, { workflowId }) => stores.workflows.findDraft(who.organizationId, workflowId),
  'workflows.editsSince': (who, { workflowId }) => stores.workflows.editsSince(who.organizationId, workflowId, 0, 100),
  'workflows.listVersions': (who, { workflowId }) =>
    stores.workflows.listVersions(who.organizationId, workflowId, null, 100),
  'executions.find': (who, { executionId, projectIds }) => stores.executions.find({ ...who, projectIds }, executionId),
  'executions.runsOf': (who, { executionId }) => stores.executions.runsOf(who.organizationId, executionId),
  'executions.resultsOf': (who, { executionId, documentId }) =>
    stores.executions.resultsOf(who.organizationId, [executionId], [documentId]),
  'executions.findRun': (who, { runId, projectIds }) => stores.executions.findRun({ ...who, projectIds }, runId),
  'executions.listRuns': (who, { projectIds, executionId }) =>
    stores.executions.listRuns({ ...who, projectIds }, { executionId }, null, 100),
  'executions.selectRuns': (who, { projectIds, executionId }) =>
    stores.executions.selectRuns(
      { ...who, projectIds },
      { executionId, statuses: ['queued', 'running', 'succeeded', 'failed'], unretried: false },
      null,
      100,
    ),
  'steps.listOf': (who, { runId }) =>
    stores.steps.listOf({ _id: runId, organizationId: who.organizationId, stepBuckets: 1 }),
  'results.ocrById': (who, { ocrId }) => stores.results.ocrById(who.organizationId, ocrId),
  'results.ocrText': (who, { ocrId }) => stores.results.ocrText(who.organizationId, ocrId),
  'results.ocrPagesFrom': (who, { ocrId }) => stores.results.ocrPagesFrom(who.organizationId, ocrId, 0, 9),
  'results.ocrPage': (who, { ocrId }) => stores.results.ocrPage(who.organizationId, ocrId, 0),
  'results.readPages': (who, target) =>
    stores.results.readPages({ ...originOf(target), organizationId: who.organizationId }, 'm'),
  'results.listOcr': (who, { documentId }) => stores.results.listOcr(who.organizationId, documentId, 10),
  'results.listSegmentations': (who, { documentId }) =>
    stores.results.listSegmentations(who.organizationId, documentId, 10),
  'results.descriptionById': (who, { descriptionId }) =>
    stores.results.descriptionById(who.organizationId, descriptionId),
  'results.embeddingById': (who, { embeddingId }) => stores.results.embeddingById(who.organizationId, embeddingId),
  'results.segmentationById': (who, { segmentationId }) =>
    stores.results.segmentationById(who.organizationId, segmentationId),
  'search.highlights': async (who, { projectIds, documentId }) => {
    const asked = { organizationId: who.organizationId, projectIds, documentIds: [documentId], text: 'INV-2024-0042' };
    return [...(await stores.search.highlights(asked))];
  },
  'conversations.find': (who, { userId }) => stores.conversations.find(who.organizationId, userId, 'chat_one'),
  'conversations.list': (who, { userId }) => stores.conversations.list(who.organizationId, userId, null, 100),
  'conversations.messages': (who, { userId }) =>
    stores.conversations.messages(who.organizationId, userId, 'chat_one', 100),
  'groundingTexts.read': async (who, { documentId, ocrId, descriptionId }) => {
    const of = { documentId, ocrResultId: ocrId, descriptionId };
    return Object.values(await stores.groundingTexts.read(who.organizationId, [of])).flat();
  },
  'members.membership': (who, { userId }) => stores.members.membership(who.organizationId, userId),
  'members.list': (who) => stores.members.list(who.organizationId),
  'members.find': (who, { memberId }) => stores.members.find(who.organizationId, memberId),
  'members.findByEmail': (who, { email }) => stores.members.findByEmail(who.organizationId, email),
  'members.listInvitations': (who) => stores.members.listInvitations(who.organizationId, now),
  'members.findInvitation': (who, { invitationId }) =>
    stores.members.findInvitation(who.organizationId, invitationId, now),
  'oauth.listClients': (who) => stores.oauth.listClients(who.organizationId),
  'oauth.listGrants': (who, { userId }) => stores.oauth.listGrants(who.organizationId, userId),
  'audit.list': (who) => stores.audit.list(who.organizationId, {}, null, 100),
  'secrets.list': (who, { projectIds }) => stores.secrets.list(who.organizationId, projectIds[0]),
  'secrets.reveal': async (who, { projectIds }) => [
    ...(await stores.secrets.reveal(who.organizationId, projectIds[0], ['NAME'])),
  ],
  'nodeCache.get': (who, { projectIds }) => stores.nodeCache.get(who.organizationId, projectIds[0], 'k'),
  'organizations.findProject': (who, { projectIds }) =>
    stores.organizations.findProject(who.organizationId, projectIds[0]),
  'organizations.listProjects': (who) => stores.organizations.listProjects(who.organizationId),
  'events.read': (who) => stores.events.read(who.organizationId, 0, 1_000),
  'usage.read': async (who, { projectIds }) => [...(await stores.usage.read(who.organizationId, projectIds))],
  ...mcpSessionReads(() => stores),
  'usage.rowsOf': (who) => stores.usage.rowsOf(who.organizationId),
  'documents.storedBy': (who) => stores.documents.storedBy(who.organizationId),
  'uploads.promised': (who) => stores.uploads.promised(who.organizationId, '', 100),
  'events.position': (who) => stores.events.position(who.organizationId),
  'search.search': async (who, { projectIds, documentId }) =>
    (await stores.search.search({ ...who, projectIds, documentIds: [documentId], text, limit: 100 })).hits,
};

/** Every change, tried with the ids of `target`. */
type Change = (asker: Seeded, target: Seeded) => Promise<unknown>;
const usageOf = ({ organizationId, projectIds: [projectId], keyId: apiKeyId }: Seeded) => ({
  organizationId,
  projectId,
  apiKeyId,
});
const leaseAs = (who: Seeded, { lease }: Seeded): Lease => ({
  ...lease,
  run: { ...lease.run, organizationId: who.organizationId },
});
const changes: Readonly<Record<string, Change>> = {
  ...experimentChanges(() => stores),
  ...recordChanges(() => stores),
  ...listChanges(() => stores),
  ...webhookChanges(() => stores),
  ...searchChanges(() => stores),
  'apiKeys.revoke': (who, { keyId }) => stores.apiKeys.revoke(who.organizationId, keyId, now),
  'apiKeys.replace': (who, { keyId }) => stores.apiKeys.replace(who.organizationId, keyId, 'key_x', now),
  'apiKeys.touch': (who, { keyId }) => stores.apiKeys.touch(who.organizationId, keyId, new Date(0)),
  'conversations.ask': (who, { userId, documentId }) => {
    const { conversation, question, answer } = conversationOf({ ...who, userId }, documentId);
    return stores.conversations.ask({ ...conversation, scope: {} }, { ...question, text: 'stolen' }, answer._id);
  },
  'conversations.answer': (who, { userId, documentId }) => {
    const { conversation, question, answer } = conversationOf({ ...who, userId }, documentId);
    return stores.conversations.answer(conversation, question, { ...answer, text: 'stolen' });
  },
  'conversations.delete': (who, { userId }) => stores.conversations.delete(who.organizationId, userId, 'chat_one'),
  'conversations.forgetDocument': (who, { documentId }) =>
    stores.conversations.forgetDocument(who.organizationId, documentId),
  'members.changeRole': (who, { memberId }) =>
    stores.members.changeRole(who.organizationId, memberId, 'owner', 'viewer'),
  'members.confirmRole': (who, { memberId }) => stores.members.confirmRole(who.organizationId, memberId, 'owner'),
  'members.setProjectRole': ({ organizationId, projectIds: [projectId] }, { memberId }) =>
    stores.members.setProjectRole({ organizationId, projectId }, memberId, { from: 'owner', to: 'viewer' }),
  'members.removal': (who, { memberId }) => stores.members.removal(who.organizationId, memberId),
  'members.beginRemoval': (who, { memberId, userId }) => {
    const removal = { userId, role: 'owner', kept: false, by: 'usr_x', at: now } as const;
    return stores.members.beginRemoval(who.organizationId, memberId, removal);
  },
  'members.finishRemoval': (who, { memberId }) => stores.members.finishRemoval(who.organizationId, memberId),
  'members.remove': (who, { memberId }) => stores.members.remove(who.organizationId, memberId, 'owner'),
  'members.cancelInvitation': (who, { invitationId }) =>
    stores.members.cancelInvitation(who.organizationId, invitationId),
  'oauth.removeClient': (who, { clientId }) => stores.oauth.removeClient(who.organizationId, clientId),
  'oauth.revokeGrant': (who, { grantId }) => stores.oauth.revokeGrant(who.organizationId, grantId, now),
  'oauth.changeScopes': (who, { grantId }) =>
    stores.oauth.changeScopes(who.organizationId, grantId, { scopes: ['keys:manage'], added: [] }),
  'oauth.touchGrant': (who, { grantId }) => stores.oauth.touchGrant(who.organizationId, grantId, now),
  'organizations.renameProject': (who, { projectIds }) =>
    stores.organizations.renameProject(who.organizationId, projectIds[0], 'stolen'),
  'documents.insert': (who, { document }) =>
    stores.documents.insert({ ...document, organizationId: who.organizationId, visibility: 'public' }),
  'documents.markDeleted': (who, { projectIds, documentId }) =>
    stores.documents.markDeleted({ ...who, projectIds }, documentId, now),
  'documents.postponeRemoval': (who, { documentId }) =>
    stores.documents.postponeRemoval(who.organizationId, documentId, now),
  'documents.remove': (who, { documentId }) => stores.documents.remove(who.organizationId, documentId),
  'results.deleteOf': (who, { documentId }) => stores.results.deleteOf(who.organizationId, documentId),
  'traces.redact': (who, { documentId }) => stores.traces.redact(who.organizationId, documentId),
  'traces.forget': (who, { documentId, objectKey }) => stores.traces.forget(who.organizationId, documentId, objectKey),
  'documents.setVisibility': (who, { projectIds, documentId }) =>
    stores.documents.setVisibility({ ...who, projectIds }, [documentId], 'public'),
  'workflows.publish': (who, { workflowId, projectIds }) => {
    const { workflow, version } = workflowOf(who.organizationId, projectIds[0], workflowId);
    return stores.workflows.publish(workflow, { ...version, graphHash: 'stolen' });
  },
  'workflows.saveDraft': (who, { workflowId, projectIds }) => {
    const { draft } = workflowOf(who.organizationId, projectIds[0], workflowId);
    return stores.workflows.saveDraft({ ...draft, revision: 2, lastEdit: { ...draft.lastEdit, revision: 2 } });
  },
  'workflows.delete': (who, { workflowId, projectIds }) => stores.workflows.delete({ ...who, projectIds }, workflowId),
  'executions.create': (who, { executionId }) =>
    stores.executions.create(executionRecord({ organizationId: who.organizationId, _id: executionId }), () => []),
  'executions.cancel': (who, { executionId, projectIds }) =>
    stores.executions.cancel({ ...who, projectIds }, executionId, canceled, now),
  'executions.cancelRun': (who, { runId, projectIds }) =>
    stores.executions.cancelRun({ ...who, projectIds }, runId, canceled, now),
  'executions.cancelRuns': (who, { lease, projectIds }) =>
    stores.executions.cancelRuns({ ...who, projectIds }, [lease.run], canceled, now),
  'executions.markRetried': (who, { executionId, documentId }) =>
    stores.executions.markRetried(who.organizationId, executionId, [documentId], 'exec_other'),
  'executions.expedite': (who, { executionId }) => stores.executions.expedite(who.organizationId, executionId),
  'executions.answer': (who, { waitingRunId, projectIds }) =>
    stores.executions.answer({ ...who, projectIds }, waitingRunId, { path: 'ask', answer: 1, by: 'other', at: now }),
  'executions.callbackQueued': (who, { waitingExecutionId }) =>
    stores.executions.callbackQueued(who.organizationId, waitingExecutionId),
  'executions.wait': (who, target) => stores.executions.wait(leaseAs(who, target), [openQuestion]),
  'executions.pinVersion': (who, target) =>
    stores.executions.pinVersion(leaseAs(who, target), { version: 9, graphHash: 'h', workflowName: 'w' }),
  'executions.beat': (who, target) => stores.executions.beat(leaseAs(who, target), now),
  'executions.endLeases': (who, target) => {
    const { _id, fence, owner } = target.lease.run;
    return stores.executions.endLeases([{ _id, fence, owner, organizationId: who.organizationId }], now);
  },
  'executions.finish': (who, target) =>
    stores.executions.finish(leaseAs(who, target), { status: 'failed', error: null }, now),
  'executions.finishAll': (who, target) =>
    stores.executions.finishAll([{ lease: leaseAs(who, target), end: { status: 'failed', error: null }, now }], []),
  'executions.release': (who, target) => stores.executions.release(leaseAs(who, target), now),
  'executions.progressed': (who, target) => stores.executions.progressed(leaseAs(who, target)),
  'steps.save': (who, target) =>
    stores.steps.save({
      run: { ...target.lease.run, organizationId: who.organizationId },
      buckets: new Map([0, 1].map((number) => [number, [{ ...stepOf(`step_${number}`), status: 'failed' as const }]])),
      further: 1,
    }),
  'results.saveOcr': (who, target) => {
    const result = { engine: 'x', language: 'x', pages: [] };
    const origin = { ...originOf(target), organizationId: who.organizationId, runId: 'run_other' };
    return stores.results.saveOcr(origin, { modelLabel: 'x', text: 'x', avgConfidence: 0, result });
  },
  'results.saveOcrPage': (who, target) => {
    const origin = { ...originOf(target), organizationId: who.organizationId, runId: 'run_other' };
    return stores.results.saveOcrPage(origin, { modelLabel: 'x', page: pageOf('x') });
  },
  'results.saveDescription': (who, target) => {
    const origin = { ...originOf(target), organizationId: who.organizationId, runId: 'run_other' };
    return stores.results.saveDescription(origin, { modelLabel: 'x', value, usage });
  },
  'results.saveEmbedding': (who, target) => {
    const origin = { ...originOf(target), organizationId: who.organizationId, runId: 'run_other' };
    return stores.results.saveEmbedding(origin, { kind: 'text', modelLabel: 'x', vector: new Float32Array(2) });
  },
  'results.saveSegmentation': (who, target) => {
    const origin = { ...originOf(target), organizationId: who.organizationId };
    return stores.results.saveSegmentation(origin, { ...found, prompt: 'other' });
  },
  'secrets.set': (who, target) =>
    stores.secrets.set(
      { ...placeOf(target), organizationId: who.organizationId },
      'NAME',
      { value: 'stolen', hosts },
      'other',
    ),
  'secrets.bind': (who, { projectIds }) => stores.secrets.bind(who.organizationId, projectIds[0], 'NAME', hosts),
  'secrets.delete': (who, { projectIds }) => stores.secrets.delete(who.organizationId, projectIds[0], 'NAME'),
  'nodeCache.put': async (who, target) => {
    const outcome = { update: { stolen: true }, modelLabel: null, usage: null, runId: 'run_other' };
    stores.nodeCache.put({ ...placeOf(target), organizationId: who.organizationId }, 'k', outcome);
    await stores.nodeCache.idle();
  },
  'idempotency.begin': (who, target) =>
    stores.idempotency.begin({ ...scopeOf(target), organizationId: who.organizationId }, 'other'),
  'idempotency.finish': (who, target) =>
    stores.idempotency.finish({ ...scopeOf(target), organizationId: who.organizationId }, 'other', {
      status: 500,
      body: {},
    }),
  'idempotency.abandon': (who, target) =>
    stores.idempotency.abandon({ ...scopeOf(target), organizationId: who.organizationId }),
  'usage.add': (who, target) => stores.usage.add({ ...usageOf(target), organizationId: who.organizationId }, 1, 1),
  'usage.reserve': (who, target) => stores.usage.reserve({ ...usageOf(target), organizationId: who.organizationId }, 1),
  'usage.correct': (who, { projectIds: [_id] }) =>
    stores.usage.correct(
      { _id, organizationId: who.organizationId, scope: 'project' },
      { bytes: 5, objects: 1 },
      { bytes: 0, objects: 0 },
    ),
  'documents.addPicture': (who, { documentId }) => stores.documents.addPicture(who.organizationId, documentId, 5),
  'documents.setDegraded': (who, { documentId }) =>
    stores.documents.setDegraded(who.organizationId, documentId, { workflowId: 'wf_stolen', nodes: ['stolen'] }),
  ...relayChanges(() => stores),
  ...mcpSessionChanges(() => stores),
};

/** All that is stored of an organization. */
async function stored({ organizationId }: Seeded): Promise<Record<string, unknown[]>> {
  const all = Object.entries(database.collections).map(
    async ([name, collection]) => [name, await collection.find({ organizationId }).sort({ _id: 1 }).toArray()] as const,
  );
  return Object.fromEntries(await Promise.all(all));
}

/** Ids of the other organization in an answer. */
function leaksIn(answer: unknown): string[] {
  const { projectIds, document: _, record: __, lease: ___, ...ids } = theirs;
  const said = JSON.stringify(answer);
  return [...projectIds, ...Object.values(ids)].filter((id) => said.includes(id));
}

const isNothing = (answer: unknown): boolean =>
  answer === null || answer === 0 || (Array.isArray(answer) && answer.length === 0);
beforeAll(async () => {
  database = await testDatabase();
  stores = storesOf(database.client);
  [mine, theirs] = [await seed(), await seed()];
});
afterAll(() => database.close());

describe('Two organizations with the same texts, identifiers and vectors', () => {
  test('every method of every repository is tried, or has no id to guess', () => {
    expect([...Object.keys(reads), ...Object.keys(changes), ...elsewhere].toSorted()).toEqual(
      methodsOf(stores).toSorted(),
    );
  });

  test.each(Object.entries(reads))('%s shows an organization its own only', async (name, read) => {
    const own = await read(mine, mine);
    expect(isNothing(own)).toBe(false);
    expect(leaksIn(own)).toEqual([]);
    const guessed = await read(mine, theirs);
    if (listsOwn.test(name)) expect(leaksIn(guessed)).toEqual([]);
    else expect(guessed).toSatisfy(isNothing);
  });

  test.each(Object.entries(reads))('%s stays within the organization when an id is an operator', async (_, read) => {
    const any = { $gt: '' } as never;
    const wild = Object.fromEntries(Object.keys(theirs).map((key) => [key, key === 'projectIds' ? [any] : any]));
    // Refused or answered: nothing of the other organization either way.
    const [answer] = await Promise.allSettled([read(mine, wild as unknown as Seeded)]);
    expect(leaksIn(answer)).toEqual([]);
  });

  test.each(Object.entries(changes))('%s changes nothing of another organization', async (_, change) => {
    const before = (theirRows ??= await stored(theirs));
    expect(Object.values(before).filter((rows) => rows.length > 0).length).toBeGreaterThan(10);
    // It may be refused, or find nothing to change.
    await Promise.allSettled([change(mine, theirs)]);
    theirRows = await stored(theirs);
    expect(theirRows).toEqual(before);
  });
});

describe('Search', () => {
  test.each(hostile)('%# finds nothing of another organization, whatever is asked', async (query) => {
    for (const mode of ['lexical', 'hybrid'] as const)
      for (const projectIds of [mine.projectIds, theirs.projectIds, []])
        for (const limit of [1, 10_000])
          for (const question of [
            query,
            `${query} ${text}`,
            `${theirs.organizationId} ${query} ${theirs.documentId}`,
          ]) {
            const { organizationId } = mine;
            const { hits } = await stores.search.search({ organizationId, projectIds, text: question, limit, mode });
            expect(leaksIn(hits)).toEqual([]);
          }
  });

  test('each retriever finds the own document, and the other one is as near', async () => {
    for (const who of [mine, theirs]) {
      const { hits, degraded } = await stores.search.search({ ...who, text, limit: 100 });
      expect(degraded).toEqual([]);
      expect(hits).toMatchObject([{ documentId: who.documentId, matchedBy: ['exact', 'lexical', 'semantic'] }]);
    }
  });

  test('an organization that has nothing finds nothing, though others have', async () => {
    const { hits } = await stores.search.search({ ...freshTenant(), text, limit: 100 });
    expect(hits).toEqual([]);
  });
});
