import { z } from 'zod';
import { AppError } from '#src/domain/app-error.ts';
import { concealer } from '#src/domain/conceal.ts';
import { redactor } from '#src/domain/redact.ts';
import type { ChatTool, ChatToolCall } from '#src/domain/ports/chat-model.ts';
import type { ServerTool, ToolServer } from '#src/domain/ports/tool-server.ts';
import type { NodeCall } from '#graphs/define.ts';

const mostServers = 4;
/** Tools that all servers of a node offer together: the model sees each one in every turn. */
const mostTools = 32;
/** Bytes of the descriptions and schemas of these tools. */
const mostBytes = 64 * 1024;
/** Characters of one result. */
const resultPage = 8_000;
const longestName = 64;

const Server = z.strictObject({
  url: z.string().min(8).max(2_000),
  tools: z.array(z.string().min(1).max(128)).min(1).max(mostTools).optional(),
  headers: z.record(z.string().max(200), z.string().max(8_192)).default({}),
  timeoutMs: z.int().min(100).max(120_000).default(30_000),
});

export const serversField = z
  .array(Server)
  .max(mostServers)
  .default([])
  .describe(
    'MCP servers (Streamable HTTP) at hosts that the operator allows: { url, tools, headers, timeoutMs }, all constant; a header can be { "$secret": "NAME" }. Without "tools": those that say that they only read',
  );

interface WithServers {
  readonly mcp: readonly z.output<typeof Server>[];
}

/** Addresses of the servers of a config, which can be invalid, by their place in `mcp`. */
export function serverUrlsOf({ mcp }: Readonly<Record<string, unknown>>): unknown[] {
  return Array.isArray(mcp) ? mcp.map((server: unknown) => (server as { url?: unknown } | null)?.url) : [];
}

/** Tools of the MCP servers of an `agent` node. */
export interface ServerTools {
  readonly offered: readonly ChatTool[];
  /** Null for a name that is none of these. */
  call(asked: ChatToolCall, signal: AbortSignal): Promise<unknown>;
  has(name: string): boolean;
  close(): Promise<void>;
}

interface Bound {
  readonly server: ToolServer;
  readonly tool: ServerTool;
  /** Removes what the headers of the server hold, also in disguise. */
  readonly clean: (text: string) => string;
}

function cleaner(headers: Readonly<Record<string, string>>): (text: string) => string {
  const values = Object.values(headers);
  const redact = redactor(values);
  const conceal = concealer(values);
  return (text) => String(conceal(redact(text)));
}

/** The named tools, or those that say that they only read. Error: `outbound.unexpected` for a name that the server does not have. */
function chosen({ tools }: ToolServer, names: readonly string[] | undefined, at: number): readonly ServerTool[] {
  if (names === undefined) return tools.filter(({ onlyReads }) => onlyReads);
  return names.map((name) => {
    const found = tools.find((tool) => tool.name === name);
    if (found !== undefined) return found;
    throw new AppError(
      'outbound.unexpected',
      `The MCP server ${at + 1} has no tool "${name}". Correct "mcp/${at}/tools".`,
    );
  });
}

const shownName = (at: number, name: string): string =>
  `mcp${at + 1}_${name.replaceAll(/[^A-Za-z0-9_-]/g, '_')}`.slice(0, longestName);

async function open(
  { deps, secrets, signal }: NodeCall<WithServers>,
  server: WithServers['mcp'][number],
  at: number,
): Promise<ToolServer> {
  // Only the secrets of this server go to it, so only they must be bound to its host.
  const own = secrets.filter(({ paths }) => paths?.some(([field, place]) => field === 'mcp' && Number(place) === at));
  const outbound = {
    send: (request: Parameters<typeof deps.outbound.send>[0]) => deps.outbound.send({ ...request, secrets: own }),
  };
  return deps.openToolServer({
    url: server.url,
    headers: server.headers,
    timeoutMs: server.timeoutMs,
    outbound,
    signal,
  });
}

function refuseMany(bound: ReadonlyMap<string, Bound>): void {
  const bytes = Buffer.byteLength(JSON.stringify([...bound.values()].map(({ tool }) => tool)));
  if (bound.size <= mostTools && bytes <= mostBytes) return;
  throw new AppError(
    'outbound.unexpected',
    `The MCP servers offer ${bound.size} tools with ${bytes} bytes of descriptions; at most ${mostTools} and ${mostBytes} are allowed. Name fewer in "tools".`,
  );
}

/**
 * Connects to the servers of the config, in order. Names get the place of the server in front, so that no server can take the name of
 * another's tool. Results are cut, without what the headers hold. Errors: `outbound.refused`, `outbound.failed`, `outbound.unexpected`,
 * `secret.unbound`. Source: docs/decisions/0195.
 */
export async function openServerTools(call: NodeCall<WithServers>): Promise<ServerTools> {
  const servers: ToolServer[] = [];
  const bound = new Map<string, Bound>();
  const close = async (): Promise<void> => {
    await Promise.allSettled(servers.map((server) => server.close()));
  };
  try {
    for (const [at, given] of call.params.mcp.entries()) {
      const server = await open(call, given, at);
      servers.push(server);
      const clean = cleaner(given.headers);
      for (const tool of chosen(server, given.tools, at)) {
        const name = shownName(at, tool.name);
        if (!bound.has(name)) bound.set(name, { server, tool, clean });
      }
    }
    refuseMany(bound);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    offered: [...bound].map(([name, { tool, clean }]) => ({
      name,
      description: clean(tool.description),
      parameters: tool.parameters,
    })),
    has: (name) => bound.has(name),
    call: (asked, signal) => callTool(bound.get(asked.name), asked, signal),
    close,
  };
}

async function callTool(found: Bound | undefined, asked: ChatToolCall, signal: AbortSignal): Promise<unknown> {
  if (found === undefined) return null;
  if (asked.malformed) return { error: 'The arguments are no JSON object.' };
  const { server, tool, clean } = found;
  try {
    const { text, isError } = await server.call(tool.name, asked.arguments, signal);
    const shown = clean(text);
    const cut = shown.slice(0, resultPage).toWellFormed();
    const rest = shown.length > resultPage ? { cutAt: resultPage } : {};
    return isError ? { error: cut, ...rest } : { text: cut, ...rest };
  } catch (error) {
    // The model can go on without an answer, not against a rule of the operator.
    if (error instanceof AppError && error.code === 'outbound.failed') return { error: clean(error.detail) };
    throw error;
  }
}
