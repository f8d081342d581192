import type { z } from 'zod';
import type { ChatEvent } from '#src/contracts/resources/chat.ts';
import type { DocumentWithRun } from '#src/contracts/resources/document.ts';
import type { Scope } from '#src/contracts/scopes.ts';
import type { TraceContext } from '#src/domain/traces/trace-context.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import type { Deed } from '#src/stores/audit-log.ts';
import type { ToolDeps } from '#tools/deps.ts';

/** A file, written as fast as its reader takes the parts. */
export interface WrittenFile {
  readonly name: string;
  readonly contentType: string;
  /** BCP 47 tags. */
  readonly languages: readonly string[];
  readonly parts: AsyncIterable<string | Buffer>;
}

/** One document of an export. */
export interface ExportedDocument {
  readonly document: z.input<typeof DocumentWithRun>;
  /** Its text as Markdown; nothing without text. */
  readonly text: () => AsyncIterable<string>;
  /** The uploaded bytes, null when they are gone. null: they were not asked for. */
  readonly original: (() => Promise<Buffer | null>) | null;
}

/** Facts beside the output for the facade: REST turns them into a status or a header, MCP shows the pictures. */
export interface Outcome {
  /** False when the resource existed already. */
  created?: boolean;
  /** True when this is the answer of an earlier, identical request. */
  replayed?: boolean;
  /** Retrievers that failed and are missing from the answer. */
  degraded?: readonly string[];
  /** Page size that was used instead of a larger one that was asked for. */
  limitCapped?: number;
  /** Pictures beside the output: MCP sends them inline, REST has URLs for them. */
  pictures?: readonly { readonly bytes: Buffer; readonly contentType: string }[];
  /** The output as a file that is written while it is sent: REST streams it. */
  file?: WrittenFile;
  /** Documents that are read while they are sent: REST writes them as a file. */
  documents?: AsyncIterable<ExportedDocument>;
}

/** `total` is null while it is not known. */
export interface Progress {
  readonly done: number;
  readonly total: number | null;
  readonly message: string;
}

/**
 * One call: the caller, the request id, and the stores that the tool named. A tool or helper that writes `ToolContext<'documents'>` can use
 * that store and no other; facades pass the whole context. Source: docs/decisions/0052.
 */
export interface ToolContext<Needs extends keyof ToolDeps = keyof ToolDeps> {
  readonly principal: Principal;
  readonly requestId: string;
  readonly surface: 'rest' | 'mcp' | 'cli';
  /** Place in the trace of this call; absent: nothing is traced. */
  readonly trace?: TraceContext | null;
  /** IP address of the caller, for the audit log; absent on the command line. */
  readonly ip?: string | null;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
  readonly deps: Pick<ToolDeps, Needs>;
  readonly outcome: Outcome;
  /** Announcement of this call in the audit log; absent in calls that are not audited. */
  readonly deed?: Deed;
  /** Receives the progress of a long call; absent unless the caller asked for it. */
  readonly progress?: (progress: Progress) => void;
  /** Receives the events of a streamed answer while the tool runs. */
  readonly emit?: (event: ChatEvent) => void;
}

/** `read` changes nothing; `write` adds or changes; `destroy` removes. Becomes the MCP annotations. */
export type Effect = 'read' | 'write' | 'destroy';

/** A use case. MCP and REST both call it, through `callTool`. */
export interface Tool<
  Input extends z.ZodType = z.ZodType,
  Output extends z.ZodObject = z.ZodObject,
  Needs extends keyof ToolDeps = keyof ToolDeps,
> {
  readonly name: string;
  /** Says to agents what the tool does and where its ids come from. */
  readonly description: string;
  /** null: every credential may call it. */
  readonly scope: Scope | null;
  readonly effect: Effect;
  /** True when repeating the call changes nothing more. */
  readonly idempotent: boolean;
  /** Costs more work than other tools, so the smaller rate limit applies. */
  readonly expensive?: boolean;
  /** False for a tool that changes only what people and programs work on all day. Every other change is announced to the audit log. */
  readonly audit?: false;
  /**
   * A session may call it only soon after a sign-in: always, or for such input. Keys and programs are held to their scopes alone. Source:
   * docs/decisions/0086.
   */
  recentSignIn?: true | ((input: z.output<Input>) => boolean);
  readonly input: Input;
  readonly output: Output;
  run(ctx: ToolContext<Needs>, input: z.output<Input>): Promise<z.input<Output>>;
}

/** Takes `Needs` from the annotation of `run`'s context. Without an annotation a tool can use no store. */
export function defineTool<Input extends z.ZodType, Output extends z.ZodObject, Needs extends keyof ToolDeps = never>(
  tool: Tool<Input, Output, Needs>,
): Tool<Input, Output, Needs> {
  return tool;
}

/** Any tool, for registries and facades. */
export type AnyTool = Tool;
