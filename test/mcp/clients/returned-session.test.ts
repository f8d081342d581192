import { expect } from 'vitest';
import { documentIntake } from '#graphs/document-intake.workflow.ts';
import { callOf, initialize, post } from '#test/mcp/raw.ts';
import { readEvents } from '#test/mcp/work/read-events.ts';
import { verifies } from '#test/support/verifies.ts';
import { startRestartable, type Restartable } from './restartable.ts';

type Headers = Readonly<Record<string, string>>;

/** The wire of one session, as a program that reads each message itself. */
class Wire {
  readonly #at: Restartable;
  readonly headers: Headers;
  #id = 1;

  constructor(at: Restartable, headers: Headers) {
    this.#at = at;
    this.headers = headers;
  }

  static async open(at: Restartable, capabilities: object): Promise<Wire> {
    const { params, ...hello } = initialize('2025-11-25');
    const reply = await post(at, { ...hello, params: { ...params, capabilities } }, at.headers);
    const session = { 'mcp-session-id': reply.headers.get('mcp-session-id') ?? 'none' };
    return new Wire(at, { ...at.headers, ...session, 'mcp-protocol-version': '2025-11-25' });
  }

  /** Sends one message; its answer is a stream that may stay open. */
  send(message: object): Promise<Response> {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    const all = { ...this.headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    return fetch(this.#at.url, { method: 'POST', headers: all, body });
  }

  /** Messages in answer to a call: questions, and the result at the end. */
  async call(name: string, input: object): Promise<AsyncGenerator<any>> {
    this.#id += 1;
    return readEvents(await this.send(callOf(name, input, this.#id)));
  }

  async use(name: string, input: object): Promise<any> {
    const { value } = await (await this.call(name, input)).next();
    return value.result.structuredContent;
  }

  listen(lastEventId: string): Promise<Response> {
    const more = { accept: 'text/event-stream', 'last-event-id': lastEventId };
    return fetch(this.#at.url, { headers: { ...this.headers, ...more } });
  }
}

const accepted = { action: 'accept', content: { confirm: true } };
const nextOf = async (messages: AsyncGenerator<any>): Promise<any> => (await messages.next()).value;

verifies(
  'mcp.sessions.returned',
  async () => {
    await using at = await startRestartable();
    const wire = await Wire.open(at, { elicitation: {} });
    const graph = { ...documentIntake.graph, name: 'Mine' };
    const drafts = [await wire.use('create_workflow', { graph }), await wire.use('create_workflow', { graph })];
    const [first, second] = drafts.map(({ workflowId }) => ({ workflowId, baseVersion: 1 }));
    const uri = `inkgraph://workflows/${first?.workflowId}`;
    await (await wire.send({ id: 'subscribe', method: 'resources/subscribe', params: { uri } })).text();
    const earlier = await nextOf(await wire.call('publish_workflow', first ?? {}));
    expect(earlier).toMatchObject({ method: 'elicitation/create' });
    const done = await Wire.open(at, {});
    expect((await fetch(at.url, { method: 'DELETE', headers: done.headers })).status).toBe(200);
    await at.restart();

    expect((await done.send(callOf('get_context'))).status).toBe(404);
    // The rest of a call is lost; the stream of the session is not.
    expect((await wire.listen('5f4d8a54-4f2e-4d0c-8d1c-1b6a4b1d1a11.1')).status).toBe(400);
    const stream = await wire.listen('_GET_stream.1');
    expect(stream.status).toBe(200);
    const told = readEvents(stream);
    expect([await nextOf(told), await nextOf(told)]).toMatchObject([
      { method: 'notifications/tools/list_changed' },
      { method: 'notifications/resources/updated', params: { uri } },
    ]);

    // An answer to a question of the process that is gone answers no question of this one.
    const late = (): Promise<Response> => wire.send({ id: earlier.id, result: accepted });
    expect((await late()).status).toBe(202);
    const messages = await wire.call('publish_workflow', second ?? {});
    const question = await nextOf(messages);
    expect(question).toMatchObject({ method: 'elicitation/create' });
    expect((await late()).status).toBe(202);
    await wire.send({ id: question.id, result: { action: 'decline' } });
    expect(await nextOf(messages)).toMatchObject({ result: { isError: true } });
    const again = await wire.call('publish_workflow', second ?? {});
    await wire.send({ id: (await nextOf(again)).id, result: accepted });
    expect(await nextOf(again)).toMatchObject({ result: { structuredContent: { version: 1 } } });

    const operations = [{ op: 'set_metadata', description: 'Changed after the restart' }];
    await wire.use('update_workflow', { ...first, operations, dryRun: false });
    expect(await nextOf(told)).toMatchObject({ method: 'notifications/resources/updated', params: { uri } });
    await told.return(undefined);
  },
  { timeout: 150_000 },
);
