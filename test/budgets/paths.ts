import { noopWorkflow } from '#scripts/bench/targets/noop-workflow.ts';
import { newId } from '#src/domain/ids.ts';
import { modern, post } from '#test/mcp/raw.ts';
import { listenTo } from '#test/support/dashboard/realtime-client.ts';
import { documentRecord, realtimeEvent } from '#test/support/records.ts';
import { fixture, tinyPng, type TestApp } from '#test/support/test-app.ts';
import { addWorkflow } from '#test/support/workflows.ts';

/** One use of the service. Returns the bytes of its reply. */
export type Path = () => Promise<number>;

/** Settles when this app has stored the next event of the type. */
function nextEvent({ app, seed }: TestApp, type: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = app.deps.events.subscribe(seed.organizationId, (event) => {
    if (event.type !== type) return;
    stop();
    resolve();
  });
  return promise;
}

async function sizeOf(response: Response, status: number): Promise<number> {
  const body = await response.text();
  if (response.status !== status) throw new Error(`${response.url} answered ${response.status}: ${body}`);
  return Buffer.byteLength(body);
}

type Call = (method: string, path: string, status: number, body?: unknown) => Promise<number>;

/** Sends the credential that the path asks for. */
function caller({ seed, addresses }: TestApp, cookie: string): Call {
  return async (method, path, status, body) => {
    const key = path.startsWith('/api/uploads/') ? seed.workflowKey : seed.serviceKey;
    const response = await fetch(new URL(path, addresses.api), {
      method,
      headers: {
        ...(path.startsWith('/api/dashboard/') ? { cookie } : { 'x-api-key': key }),
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return sizeOf(response, status);
  };
}

/** Requests of one app without workers: what they leave for workers is not counted with them. */
export async function requestPaths(at: TestApp): Promise<Record<string, Path>> {
  const { seed, addresses } = at;
  const { organizationId, projectId } = seed;
  const place = { organizationId, projectId };
  // Newer than those of other paths, so that a list shows these.
  const createdAt = new Date(Date.now() + 3_600_000);
  for (let n = 0; n < 30; n += 1) await at.app.deps.documents.insert(documentRecord({ ...place, createdAt }));
  const { id: documentId } = await at.store(tinyPng, 'image/png');
  const workflowId = await addWorkflow(at, noopWorkflow(5).graph);
  const cookie = await at.signIn();
  const call = caller(at, cookie);
  const tool = async (name: string, input: object): Promise<number> => {
    const { body, headers } = modern(name, input);
    const url = new URL('/mcp', addresses.mcp);
    const { status, text } = await post({ url }, body, { ...headers, authorization: `Bearer ${seed.agentKey}` });
    if (status !== 200 || text.includes('"isError":true')) throw new Error(`${name} answered ${status}: ${text}`);
    return Buffer.byteLength(text);
  };
  const uploads: string[] = [];
  // Uploaded before they are counted: the first one warms up.
  for (let n = 0; n < 6; n += 1) uploads.push(await at.put(tinyPng, 'image/png'));
  // The service ends it.
  const feed = await listenTo(new URL('/api/dashboard/realtime', addresses.api), { cookie });
  await feed.until(({ lastId }) => lastId !== '');
  return {
    presign: () => call('POST', '/api/uploads/presign', 200, { contentType: 'image/png', size: 1_000 }),
    ack: () => call('POST', '/api/uploads/ack', 201, { objectKey: uploads.pop() }),
    'document by id': () => call('GET', `/api/service/documents/${documentId}`, 200),
    'list of 25': () => call('GET', '/api/service/documents?limit=25', 200),
    'execution accepted': async () => {
      const told = nextEvent(at, 'run.created');
      const size = await call('POST', '/api/service/workflow-executions', 202, {
        workflowId,
        documentIds: [documentId],
      });
      await told;
      return size;
    },
    'tools/call get_context': () => tool('get_context', {}),
    'tools/call get_workflow': () => tool('get_workflow', { workflowId: seed.workflowId }),
    'tools/call create_workflow': async () => {
      const told = feed.told.length;
      const reply = await tool('create_workflow', { preset: 'wf_document_intake' });
      // Its event is stored a moment later, which is sooner or later than the end of a count.
      await feed.until((now) => now.told.length > told);
      return reply;
    },
    'realtime event': async () => {
      const [told, text] = [feed.told.length, feed.text.length];
      await at.app.deps.events.append([realtimeEvent(organizationId, { projectId, documentId: newId('document') })]);
      await feed.until((now) => now.told.length > told);
      return feed.text.length - text;
    },
  };
}

/** Runs of one app with a worker, to their end. */
export async function runPaths(at: TestApp): Promise<Record<string, Path>> {
  const { id: documentId } = await at.store(tinyPng, 'image/png');
  const workflowId = await addWorkflow(at, noopWorkflow(5).graph);
  const gif = await fixture('note.gif');
  const call = caller(at, await at.signIn());
  const upload = async (): Promise<number> => {
    const ended = nextEvent(at, 'run.completed');
    const document = await at.ingest(gif, 'image/gif');
    await ended;
    return JSON.stringify(document).length;
  };
  // Something to find.
  await upload();
  const question = { messages: [{ role: 'user', content: 'When can the atlas be collected?' }] };
  return {
    'run of 5 no-op steps': async () => {
      const ended = nextEvent(at, 'run.completed');
      const { status, body } = await at.call('POST', '/api/service/workflow-executions', {
        key: at.seed.serviceKey,
        body: { workflowId, documentIds: [documentId] },
      });
      if (status !== 202) throw new Error(JSON.stringify(body));
      await ended;
      return JSON.stringify(body).length;
    },
    search: () => call('GET', '/api/dashboard/documents?query=binder', 200),
    'chat question': () => call('POST', '/api/dashboard/documents/chat', 200, question),
    'upload and its default workflow': upload,
  };
}
