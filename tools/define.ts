import type { z } from 'zod';
import type { ChatEvent } from '#src/contracts/resources/chat.ts';
import type { Scope } from '#src/contracts/scopes.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import type { ToolDeps } from '#tools/deps.ts';

/** What the facade may want to say beside the output: REST turns it into a status or a header, MCP ignores it. */
export interface Outcome {
  /** False when the thing existed already. */
  created?: boolean;
  /** The answer of an earlier, identical request. */
  replayed?: boolean;
  /** Ways of searching that had no part in the answer. */
  degraded?: readonly string[];
  /** What there is to look at beside the output: MCP shows it, the others have addresses for it. */
  pictures?: readonly { readonly bytes: Buffer; readonly contentType: string }[];
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
  /** Address of the caller, for the audit log; absent where there is none. */
  readonly ip?: string | null;
  /** Aborts when the caller went away. */
  readonly signal: AbortSignal;
  readonly deps: Pick<ToolDeps, Needs>;
  readonly outcome: Outcome;
  /** Hears how far a long call has come; absent where nobody asked. */
  readonly progress?: (progress: Progress) => void;
  /** Hears what a tool tells before it ends. */
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
  /** For an agent: what it does, where its ids come from. */
  readonly description: string;
  /** null: any credential. */
  readonly scope: Scope | null;
  readonly effect: Effect;
  /** The same call again changes nothing more. */
  readonly idempotent: boolean;
  /** Starts or takes more work than others: counted against the smaller rate. */
  readonly expensive?: boolean;
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

/** A tool of any shape, as registries and facades hold it. */
export type AnyTool = Tool;
