import type { CallToolResult, Client, FetchLike } from '@modelcontextprotocol/client';
import { AppError } from '#src/domain/app-error.ts';
import type { OpenToolServer, ServerTool, ToolServerAddress } from '#src/domain/ports/tool-server.ts';

/** Limits of what a server sends. */
const limits = { responseBytes: 1024 * 1024, pages: 5, tools: 200, description: 500, schemaBytes: 8 * 1024 } as const;

const closeMs = 2_000;

/** Requests of the client through the guarded outbound, to this server alone. Responses arrive whole: a server ends the stream of a call. */
function fetchThrough(
  { url, outbound, timeoutMs }: ToolServerAddress,
  calls: { signal: AbortSignal; failure: AppError | null },
): FetchLike {
  const { origin } = new URL(url);
  return async (to, init) => {
    const { method = 'GET', headers, body } = init ?? {};
    // No stream of the server's own messages: the client asks and is answered.
    if (method === 'GET') return new Response(null, { status: 405 });
    if (new URL(to).origin !== origin || (method !== 'POST' && method !== 'DELETE'))
      throw new AppError('outbound.refused', 'The MCP server led to another address. Name that one in "url".');
    try {
      const { signal } = calls;
      const answer = await outbound.send({
        url: String(to),
        method,
        headers: Object.fromEntries(new Headers(headers)),
        ...(typeof body === 'string' && { body }),
        maxBytes: limits.responseBytes,
        timeoutMs,
        signal: init?.signal ? AbortSignal.any([signal, init.signal]) : signal,
      });
      const isEmpty = [204, 205, 304].includes(answer.status);
      return new Response(isEmpty ? null : new Uint8Array(answer.body), {
        status: answer.status,
        headers: answer.headers,
      });
    } catch (error) {
      if (error instanceof AppError) calls.failure = error;
      throw error;
    }
  };
}

/** Text of a result: of its blocks, else its structured content. */
function textOf({ content, structuredContent }: CallToolResult): string {
  const texts = content.map((block) => {
    if (block.type === 'text') return block.text;
    return block.type === 'resource' && 'text' in block.resource ? block.resource.text : `(${block.type})`;
  });
  return texts.length === 0 && structuredContent !== undefined ? JSON.stringify(structuredContent) : texts.join('\n');
}

async function toolsOf(client: Client, timeout: number): Promise<ServerTool[]> {
  const { tools } = await client.listTools(undefined, { timeout });
  return tools.slice(0, limits.tools).flatMap(({ name, description = '', inputSchema, annotations }) => {
    if (JSON.stringify(inputSchema).length > limits.schemaBytes) return [];
    const words = description.slice(0, limits.description).toWellFormed();
    return [{ name, description: words, parameters: inputSchema, onlyReads: annotations?.readOnlyHint === true }];
  });
}

/** Says what failed: the error of the outbound, or a general one, since the library's quotes the response. */
function failed(error: unknown, signal: AbortSignal, failure: AppError | null): unknown {
  if (signal.aborted) return signal.reason;
  if (failure !== null) return failure;
  const detail = 'The MCP server did not answer as MCP 2025-03-26 to 2026-07-28 say. Check "url".';
  return new AppError('outbound.failed', detail, { cause: error });
}

/**
 * Opens MCP servers over Streamable HTTP, of both generations. The library is loaded on first use. It validates no result: the schema of a
 * foreign server is never compiled. Source: MCP 2026-07-28, transports; docs/decisions/0195.
 */
export const openToolServer: OpenToolServer = async (address) => {
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const calls: { signal: AbortSignal; failure: AppError | null } = { signal: address.signal, failure: null };
  const client = new Client(
    { name: 'inkgraph', version: '1' },
    {
      versionNegotiation: { mode: 'auto' },
      listMaxPages: limits.pages,
      jsonSchemaValidator: {
        getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
      },
    },
  );
  const transport = new StreamableHTTPClientTransport(new URL(address.url), {
    fetch: fetchThrough(address, calls),
    requestInit: { headers: { ...address.headers } },
  });
  const { timeoutMs: timeout } = address;
  try {
    await client.connect(transport, { timeout });
    const tools = await toolsOf(client, timeout);
    return {
      tools,
      async call(name, input, signal) {
        calls.signal = signal;
        calls.failure = null;
        try {
          const result = await client.callTool({ name, arguments: { ...input } }, { timeout, signal });
          return { text: textOf(result), isError: result.isError === true };
        } catch (error) {
          throw failed(error, signal, calls.failure);
        }
      },
      async close() {
        // A session that is left behind expires at the server, so nothing waits long for its end.
        calls.signal = AbortSignal.timeout(closeMs);
        await transport.terminateSession().catch(() => undefined);
        await client.close();
      },
    };
  } catch (error) {
    await client.close().catch(() => undefined);
    throw failed(error, address.signal, calls.failure);
  }
};
