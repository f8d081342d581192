import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport, type ElicitResult } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { version } from '#src/config/version.ts';

const fileAt = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));

/** The command that serves this installation on standard input and output. */
export const stdioCommand = {
  command: process.execPath,
  args: [fileAt('scripts/need-node.cjs'), fileAt('src/stdio.ts')],
} as const;

/** Asks the person at the keyboard; whatever is not a yes is a no. */
async function confirm(message: string): Promise<ElicitResult> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await lines.question(`${message}\nDo it? [y/N] `);
    return /^y(es)?$/i.test(answer.trim()) ? { action: 'accept', content: { confirm: true } } : { action: 'decline' };
  } finally {
    lines.close();
  }
}

/** To a service at `url` with `key`, or to a process of its own on the data folder. Somebody at a terminal is asked before what cannot be undone. */
export async function connect({ url, key }: { url?: string | undefined; key?: string | undefined }): Promise<Client> {
  const isAsked = process.stdin.isTTY;
  const client = new Client(
    { name: 'inkgraph-cli', version },
    { versionNegotiation: { mode: 'auto' }, ...(isAsked ? { capabilities: { elicitation: { form: {} } } } : {}) },
  );
  if (isAsked)
    client.setRequestHandler('elicitation/create', ({ params }) => confirm('message' in params ? params.message : ''));
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const environment = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  );
  const transport =
    url === undefined
      ? new StdioClientTransport({
          ...stdioCommand,
          args: [...stdioCommand.args],
          env: { LOG_LEVEL: 'warn', ...(Object.fromEntries(environment) as Record<string, string>) },
        })
      : new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport);
  return client;
}
