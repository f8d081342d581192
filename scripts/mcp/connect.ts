import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  type ElicitResult,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { version } from '#src/config/version.ts';
import type { Terminal } from '#scripts/cli/terminal.ts';
import { UsageError } from '#scripts/cli/with-app.ts';

/** The command that serves this installation on standard input and output. */
export const stdioCommand = {
  command: process.execPath,
  args: [
    fileURLToPath(new URL('../need-node.cjs', import.meta.url)),
    fileURLToPath(new URL('../../app/stdio.ts', import.meta.url)),
  ],
} as const;

/** The SDK starts a process that it knows nothing of twice, to see what it speaks, and drops what the first one says of itself. */
class OwnProcess extends StdioClientTransport {}

/** Asks the person at the keyboard; whatever is not a yes is a no. */
async function confirm({ input }: Pick<Terminal, 'input'>, message: string): Promise<ElicitResult> {
  const lines = createInterface({ input, output: process.stderr });
  try {
    const answer = await lines.question(`${message}\nDo it? [y/N] `);
    return /^y(es)?$/i.test(answer.trim()) ? { action: 'accept', content: { confirm: true } } : { action: 'decline' };
  } finally {
    lines.close();
  }
}

/** Turns errors of the server or the connection into a line for the user; other errors are bugs and keep their stack. */
export function explained(error: unknown, url: string | undefined): unknown {
  if (error instanceof ProtocolError) return new UsageError(error.message);
  if (error instanceof SdkHttpError && error.status === 401)
    return new UsageError(`${url} rejects the key in MCP_KEY. Set a valid service key.`);
  const cause = error instanceof SdkError && error.cause instanceof Error ? error.cause : error;
  const isUnreached = cause instanceof TypeError && cause.message === 'fetch failed';
  if (isUnreached) return new UsageError(`No response from ${url}. Start the service, or correct --url.`);
  if (!(error instanceof SdkError)) return error;
  const hasEnded = error.code === SdkErrorCode.EraNegotiationFailed || error.code === SdkErrorCode.ConnectionClosed;
  if (url === undefined && hasEnded)
    return new UsageError('The process that uses this data folder ended. See its message above.');
  return new UsageError(error.message);
}

/** To a service at `url` with `key`, or to a process of its own on the data folder. Somebody at a terminal is asked before what cannot be undone. */
export async function connect(
  { url, key }: { url?: string | undefined; key?: string | undefined },
  { env, input }: Pick<Terminal, 'env' | 'input'>,
): Promise<Client> {
  const isAsked = input.isTTY === true;
  if (url !== undefined && !URL.canParse(url)) throw new UsageError(`--url ${url} is not a valid URL.`);
  const client = new Client(
    { name: 'inkgraph-cli', version },
    { versionNegotiation: { mode: 'auto' }, ...(isAsked ? { capabilities: { elicitation: { form: {} } } } : {}) },
  );
  if (isAsked)
    client.setRequestHandler('elicitation/create', ({ params }) =>
      confirm({ input }, 'message' in params ? params.message : ''),
    );
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const environment = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const transport =
    url === undefined
      ? new OwnProcess({
          ...stdioCommand,
          args: [...stdioCommand.args],
          env: { LOG_LEVEL: 'warn', ...(Object.fromEntries(environment) as Record<string, string>) },
        })
      : new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport);
  return client;
}
