import type { GetPromptResult } from '@modelcontextprotocol/server';
import type { Scope } from '#src/contracts/scopes.ts';
import type { Ask } from '#mcp/resources/ask.ts';
import type { Complete } from '#mcp/completion/completers.ts';
import type { Toolset } from '#mcp/view.ts';

export type PromptMessage = GetPromptResult['messages'][number];

export interface PromptArgument {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly required: boolean;
  /** Absent: any text. */
  readonly complete?: Complete;
}

export type Arguments = Readonly<Record<string, string>>;

/** A job for an agent: what is known now, and the steps that lead through our tools. */
export interface McpPrompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly toolset: Toolset;
  /** Of what it reads: without them it fails like the use cases do. */
  readonly scopes: readonly Scope[];
  /** Its steps change something: not for connections that only read. */
  readonly changes: boolean;
  readonly arguments: readonly PromptArgument[];
  /** Errors: those of the use cases. */
  messages(ask: Ask, given: Arguments): Promise<readonly PromptMessage[]>;
}

export const workflowArgument = {
  name: 'workflowId',
  title: 'Workflow',
  description: 'wf_..., of list_workflows',
  required: true,
} as const;

export const goalArgument = {
  name: 'goal',
  title: 'Goal',
  description: 'What it should do, or do better',
  required: true,
} as const;

export function says(text: string): PromptMessage {
  return { role: 'user', content: { type: 'text', text } };
}

export function steps(lines: readonly string[]): string {
  return lines.map((line, index) => `${index + 1}. ${line}`).join('\n');
}

/** What the person wrote, apart from what this service says. */
export function quoted(goal: string): string {
  return `"""\n${goal.trim()}\n"""`;
}
