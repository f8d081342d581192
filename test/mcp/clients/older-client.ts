import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  StreamableHTTPClientTransport,
  type StreamableHTTPClientTransportOptions,
} from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, isInitializeRequest, type ElicitResult } from '@modelcontextprotocol/sdk/types.js';

export const olderRevisions = ['2025-11-25', '2025-06-18', '2025-03-26'] as const;
type OlderRevision = (typeof olderRevisions)[number];

type Send = StreamableHTTPClientTransport['send'];

/** Says hello in an older revision than the newest that its SDK knows, as a program does that was not updated. */
export class OlderTransport extends StreamableHTTPClientTransport {
  readonly #revision: OlderRevision;

  constructor(url: URL, revision: OlderRevision, options?: StreamableHTTPClientTransportOptions) {
    super(url, options);
    this.#revision = revision;
  }

  override send(...[message, options]: Parameters<Send>): ReturnType<Send> {
    if (Array.isArray(message) || !isInitializeRequest(message)) return super.send(message, options);
    return super.send({ ...message, params: { ...message.params, protocolVersion: this.#revision } }, options);
  }
}

/** A client of the 2025 generation whose user gives these answers in turn; null: it cannot show questions. */
export function olderClient(answers: ElicitResult[] | null): { client: Client; asked: string[] } {
  const asked: string[] = [];
  const client = new Client(
    { name: 'older', version: '1' },
    { capabilities: answers === null ? {} : { elicitation: {} } },
  );
  if (answers !== null)
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params.message);
      return answers.shift() ?? { action: 'cancel' };
    });
  return { client, asked };
}
