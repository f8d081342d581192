import type { Outbound } from '#src/domain/ports/outbound.ts';

/** A tool of another service. Name, description and schema are words of that service. */
export interface ServerTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments, object-rooted, not validated. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** True if the service says that the tool changes nothing. */
  readonly onlyReads: boolean;
}

/** An open connection to an MCP server. */
export interface ToolServer {
  readonly tools: readonly ServerTool[];
  /** Resolves to the text of the result. Rejects with the reason of an aborted signal, and with `outbound.failed`, `outbound.refused` or `secret.unbound`. */
  call(
    name: string,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<{ readonly text: string; readonly isError: boolean }>;
  close(): Promise<void>;
}

export interface ToolServerAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sends each request: hosts and secrets are checked there. */
  readonly outbound: Pick<Outbound, 'send'>;
  /** Limit of each request. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Connects to an MCP server and lists its tools. Errors: those of `Outbound.send`. Source: docs/decisions/0195. */
export type OpenToolServer = (address: ToolServerAddress) => Promise<ToolServer>;
