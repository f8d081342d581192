import type { Db, IndexDescription } from 'mongodb';
import { ensureCheckpointIndexes } from '#src/stores/checkpoints/rows.ts';
import { collectionsOf, type Collections } from '#src/stores/collections.ts';
import { ensureIndexes } from '#src/stores/indexes.ts';
import { generatedNote, table } from '#scripts/gen/markdown.ts';

interface Description {
  readonly holds: string;
  readonly writtenBy: string;
}
type Name =
  | keyof Collections
  | 'sessions'
  | 'accounts'
  | 'verifications'
  | 'twoFactors'
  | 'checkpoints'
  | 'checkpointWrites'
  | 'meta';

/** Collections by subject, in the order of the page. A collection without a description does not compile, and one that is gone fails. */
const chapters: Readonly<Record<string, Readonly<Partial<Record<Name, Description>>>>> = {
  'Organizations and people': {
    organizations: { holds: 'Organizations: id, name, short name', writtenBy: 'sign-up, dashboard, seed' },
    projects: { holds: 'Projects of an organization', writtenBy: 'sign-up, dashboard, seed' },
    users: { holds: 'People with an account', writtenBy: 'better-auth' },
    sessions: { holds: 'Sessions of signed-in people', writtenBy: 'better-auth' },
    accounts: { holds: 'Password hashes', writtenBy: 'better-auth' },
    verifications: { holds: 'Pending verifications, and codes of apps that were used', writtenBy: 'better-auth' },
    twoFactors: { holds: 'Second factors: TOTP secret, encrypted; hashes of backup codes', writtenBy: 'better-auth' },
    passkeys: { holds: 'Passkeys: public key, counter, name and last use', writtenBy: 'better-auth' },
    members: { holds: 'Membership of a person in an organization, with the role', writtenBy: 'dashboard' },
    accountMails: { holds: 'Mails about accounts that wait to be sent, without their tokens', writtenBy: 'API' },
    accountTokens: { holds: 'Tokens of links in mails, as SHA-256, until they are used or expire', writtenBy: 'API' },
    guesses: { holds: 'Attempts in a row to guess the password of an account, by hash', writtenBy: 'API' },
    invitations: { holds: 'Invitations to an organization, by e-mail address', writtenBy: 'dashboard' },
    savedViews: {
      holds: 'Saved views of the dashboard: name, page, filters, owner and sharing',
      writtenBy: 'dashboard',
    },
    preferences: { holds: 'Preferences of a person for the dashboard', writtenBy: 'dashboard' },
    audit: { holds: 'Security-relevant actions: actor, action, target, time, address', writtenBy: 'tools, OAuth' },
  },
  'Credentials and secrets': {
    apiKeys: {
      holds: 'API keys: SHA-256 of the secret, scopes, project, bound workflow',
      writtenBy: 'keys tools, command line',
    },
    secrets: { holds: 'Project secrets, encrypted with AES-256-GCM', writtenBy: 'dashboard, command line' },
    oauthClients: {
      holds: 'OAuth clients: registered, from metadata documents, or made by an owner',
      writtenBy: 'OAuth',
    },
    oauthConsents: { holds: 'Consent forms that are open in a browser', writtenBy: 'OAuth' },
    oauthGrants: { holds: 'Access that a person gave a program: projects, scopes, expiry', writtenBy: 'OAuth' },
    oauthCodes: { holds: 'Authorization codes, as SHA-256', writtenBy: 'OAuth' },
    oauthTokens: { holds: 'Access and refresh tokens, as SHA-256', writtenBy: 'OAuth' },
    mcpSessions: {
      holds: 'Sessions of older MCP clients that were used for longer, subscribed or ended: last use, resources, end',
      writtenBy: 'MCP service',
    },
  },
  Experiments: {
    datasets: { holds: 'Datasets: name, newest version, counts of items and references', writtenBy: 'tools' },
    recordTypes: { holds: 'Record types of projects, each with all of its versions', writtenBy: 'tools' },
    records: {
      holds: 'Records of documents: cells with their proof, corrections, and values and facets for queries',
      writtenBy: 'tools, agents',
    },
    datasetVersions: { holds: 'Versions of datasets: documents with references and splits', writtenBy: 'tools' },
    datasetLedgers: { holds: 'Confirmations that were charged to a holdout', writtenBy: 'tools, agents service' },
    experiments: {
      holds: 'Experiments: plan, progress, and summary when they ended',
      writtenBy: 'tools, agents service',
    },
    experimentGraphs: { holds: 'Graphs of the variants of an experiment', writtenBy: 'tools, agents service' },
    experimentCells: { holds: 'Scores of one run of an experiment', writtenBy: 'agents service' },
  },
  Documents: {
    uploads: { holds: 'Presigned uploads until they expire', writtenBy: 'presign' },
    usage: {
      holds: 'Stored and promised bytes and objects of each organization, project and key',
      writtenBy: 'presign, deletion, pictures',
    },
    documents: {
      holds: 'Documents, with a summary of the latest results and the events that are still to be delivered',
      writtenBy: 'ack, results, visibility, deletion',
    },
    ocrResults: { holds: 'Recognized text with pages, lines, words and boxes', writtenBy: 'workers' },
    ocrPages: { holds: 'Pages of results with several, each with its lines, words and boxes', writtenBy: 'workers' },
    descriptions: { holds: 'Generated titles and descriptions', writtenBy: 'workers' },
    embeddings: { holds: 'Image and text embeddings', writtenBy: 'workers' },
    segmentationResults: { holds: 'Regions found on a page', writtenBy: 'workers' },
    searchRecords: {
      holds:
        'One record a document for search: words, identifiers, vectors. It also has one full-text and two vector search indexes',
      writtenBy: 'workers (`index` node)',
    },
  },
  Workflows: {
    workflows: { holds: 'Workflows: name, source, published version', writtenBy: 'workflow tools, start-up' },
    workflowVersions: { holds: 'Published versions; never changed', writtenBy: 'publish' },
    workflowDrafts: { holds: 'The draft of a workflow, with its revision', writtenBy: 'workflow tools' },
    workflowEdits: { holds: 'Earlier edits of a draft, to report conflicts', writtenBy: 'workflow tools' },
  },
  Runs: {
    executions: { holds: 'Executions: workflow, version, documents', writtenBy: 'relay, run tools' },
    runs: {
      holds: 'Runs: status, lease, fence, attempts at nodes, open questions, outputs, receipt',
      writtenBy: 'relay, workers, run tools',
    },
    steps: {
      holds: 'Attempts at nodes that a run has beyond those in its own record, 50 a record',
      writtenBy: 'workers',
    },
    checkpoints: { holds: 'LangGraph checkpoints of unfinished runs', writtenBy: 'workers' },
    checkpointWrites: {
      holds: 'LangGraph writes of steps that finished since the last checkpoint',
      writtenBy: 'workers',
    },
    nodeCache: { holds: 'Outcomes of pure nodes, for later runs', writtenBy: 'workers' },
    spentWork: {
      holds: 'Pages that used up their computing time or memory, for 30 days',
      writtenBy: 'whatever process reads pages',
    },
    queues: {
      holds: 'Last rank and weight of each organization in each lane of the queue',
      writtenBy: 'relay, run tools',
    },
    deliveries: { holds: 'Outbox and log of webhooks', writtenBy: 'workers, webhook tools' },
    webhooks: {
      holds: 'Subscriptions of projects to events, each with the number of the last event it was looked at for',
      writtenBy: 'webhook tools, workers',
    },
  },
  'Chat, events and bookkeeping': {
    conversations: { holds: 'Chats of a person', writtenBy: 'chat' },
    messages: { holds: 'Questions and answers of a chat, with their sources', writtenBy: 'chat' },
    events: {
      holds: 'Event log of an organization, for the realtime feed: events that were stored together are one record',
      writtenBy: 'relay, workers, tools',
    },
    counters: { holds: 'Epoch of each event log, and its last number while it is empty', writtenBy: 'event log' },
    idempotency: { holds: 'Idempotency keys with the stored response', writtenBy: 'REST and MCP calls' },
    meta: {
      holds:
        'Schema version of the data; the process that migrates it; the collections whose indexes are made; the id of the installation; the progress of a copy',
      writtenBy: 'start-up, `npm run migrate`',
    },
  },
};

/** Indexes as start-up creates them, by collection. */
async function indexesByCollection(): Promise<Map<string, IndexDescription[]>> {
  const found = new Map<string, IndexDescription[]>();
  const db = {
    collection: (name: string) => ({
      createIndexes(descriptions: IndexDescription[]) {
        found.set(name, descriptions);
        return Promise.resolve([]);
      },
    }),
  } as unknown as Db;
  await ensureIndexes(db);
  await ensureCheckpointIndexes(db);
  return found;
}

function indexText({ key, ...options }: IndexDescription): string {
  const fields = Object.entries(key).map(([field, order]) => `${field}${order === -1 ? ' desc' : ''}`);
  const { expireAfterSeconds: seconds } = options;
  const days = typeof seconds === 'number' ? seconds / 86_400 : 0;
  const notes = [
    options.unique === true ? 'unique' : null,
    seconds === undefined ? null : days === 0 ? 'deleted then' : `deleted after ${days} day${days === 1 ? '' : 's'}`,
    options.sparse === true || options.partialFilterExpression !== undefined ? 'some records only' : null,
  ].filter((note) => note !== null);
  return `\`${fields.join(', ')}\`${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`;
}

/** docs/data-model.md: every collection with its indexes, from the code that creates them. */
export async function dataModelDoc(): Promise<string> {
  const indexes = await indexesByCollection();
  const described = Object.values(chapters).flatMap((chapter) => Object.keys(chapter));
  const actual = new Set([
    'meta',
    ...Object.keys(collectionsOf({ collection: () => null } as unknown as Db)),
    ...indexes.keys(),
  ]);
  const missing = [...actual].filter((name) => !described.includes(name));
  const gone = described.filter((name) => !actual.has(name));
  if (missing.length + gone.length > 0)
    throw new Error(
      `scripts/gen/data-model-doc.ts: describe ${missing.join(', ') || 'nothing new'}; remove ${gone.join(', ') || 'nothing'}`,
    );
  const sections = Object.entries(chapters).map(([title, chapter]) => {
    const rows = Object.entries(chapter).map(([name, { holds, writtenBy }]) => [
      `\`${name}\``,
      holds,
      writtenBy,
      (indexes.get(name) ?? []).map(indexText).join('<br>'),
    ]);
    return `## ${title}\n\n${table(['Collection', 'Holds', 'Written by', 'Indexes beside `_id`'], rows)}`;
  });
  return `${generatedNote}
# Data model

Inkgraph keeps everything but the bytes of uploads in one MongoDB database. The stores in \`src/stores\` are the only code that reads and
writes it, apart from better-auth, which keeps users and sessions. \`src/stores/collections.ts\` has the types of the records and
\`src/stores/indexes.ts\` the indexes.

- Every record of a customer has an \`organizationId\`, and every query names it. Most records also have a \`projectId\`.
- Ids are a prefix and a ULID (\`doc_01k9…\`), so they sort by time of creation ([0004](decisions/0004-ids-time-and-paging.md)).
- Ids that have to be made twice, such as the id of the run that an upload starts, derive from another id. Repeating the work after a
  crash finds the record that exists.
- A worker writes with the fence of its lease: a worker that lost its run cannot change it
  ([0011](decisions/0011-a-run-is-the-unit-of-lease.md)).
- An event is stored inside the record it is about, in the same write, until it was delivered ([0013](decisions/0013-events-and-outbox.md)).
- Deleting a document deletes its bytes, results, search record and traces in runs ([0037](decisions/0037-deleting-documents.md)).
- \`src/stores/migrate.ts\` brings older data up to date at start-up. A program refuses data of a newer schema.

${sections.join('\n\n')}
`;
}
