import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { fixture, startTestApp, tinyPng, type TestApp } from '#test/support/test-app.ts';
import { addPicture } from '#test/support/workflows.ts';

/** Place and key of the MCP server under test. */
export interface Connection {
  readonly url: string;
  readonly key: string;
}

/** A run as lists show it. */
export interface ListedRun {
  readonly runId: string;
  readonly executionId: string;
  readonly documentId: string;
  readonly version: number | null;
  readonly status: string;
}

const contentTypes: Readonly<Record<string, string>> = { jpg: 'image/jpeg', gif: 'image/gif', pdf: 'application/pdf' };

/** The service under test, with the documents and workflows of the jobs. Preparing and checking use the tools of an agent, too. */
export class EvalWorld implements AsyncDisposable {
  readonly at: TestApp;
  readonly connection: Connection;
  readonly #client: Client;
  readonly #read = new Map<string, Promise<string>>();

  private constructor(at: TestApp, client: Client) {
    this.at = at;
    this.#client = client;
    this.connection = { url: new URL('/mcp', at.addresses.mcp).href, key: at.seed.agentKey };
  }

  static async start(): Promise<EvalWorld> {
    const at = await startTestApp();
    const client = new Client({ name: 'eval', version: '1.0.0' });
    const requestInit = { headers: { authorization: `Bearer ${at.seed.agentKey}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', at.addresses.mcp), { requestInit }));
    return new EvalWorld(at, client);
  }

  /** Calls a tool for a job. Throws with the text of the tool's error. */
  async use<Result>(name: string, input: object): Promise<Result> {
    const { content, structuredContent, isError } = await this.#client.callTool({ name, arguments: { ...input } });
    if (isError === true) throw new Error(content.map((part) => (part.type === 'text' ? part.text : '')).join('\n'));
    return structuredContent as Result;
  }

  /** Ids of new documents of one pixel, which cost nothing to process. */
  tinyDocuments(count: number): Promise<string[]> {
    return Promise.all(Array.from({ length: count }, () => addPicture(this.at, tinyPng, { width: 1, height: 1 })));
  }

  /** Id of a document of `test/fixtures` that the default workflow has processed; the same one for all jobs. */
  readDocument(file: string): Promise<string> {
    const known = this.#read.get(file) ?? this.#process(file);
    this.#read.set(file, known);
    return known;
  }

  async #process(file: string): Promise<string> {
    const id = await this.storedDocument(file);
    await this.run(this.at.seed.workflowId, [id]);
    return id;
  }

  /** Id of a new document that no workflow has seen. */
  async storedDocument(file: string): Promise<string> {
    const type = contentTypes[file.slice(file.lastIndexOf('.') + 1)] ?? '';
    const stored = (await this.at.store(await fixture(file), type)) as { id: string };
    return stored.id;
  }

  /** Creates and publishes a workflow: its id. */
  async publish(graph: object): Promise<string> {
    const { workflowId, revision } = await this.draft(graph);
    await this.use('publish_workflow', { workflowId, baseVersion: revision });
    return workflowId;
  }

  async draft(graph: object): Promise<{ readonly workflowId: string; readonly revision: number }> {
    return this.use('create_workflow', { graph: { schemaVersion: 1, ...graph } });
  }

  /** Runs a workflow over documents and waits until it ends or asks: the execution's id. */
  async run(workflowId: string, documentIds: readonly string[]): Promise<string> {
    const started = await this.use<{ id: string; status: string }>('run_workflow', {
      workflowId,
      documentIds,
      waitSeconds: 25,
    });
    if (started.status === 'running' || started.status === 'queued') await this.at.app.idle();
    return started.id;
  }

  async runsOf(filter: object): Promise<readonly ListedRun[]> {
    return (await this.use<{ runs: ListedRun[] }>('list_runs', { limit: 100, ...filter })).runs;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
    await this.at[Symbol.asyncDispose]();
  }
}
