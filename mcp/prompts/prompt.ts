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
  /** Absent: no completion. */
  readonly complete?: Complete;
}

export type Arguments = Readonly<Record<string, string>>;

/** A task for an agent: current data, and steps that use our tools. */
export interface McpPrompt {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly toolset: Toolset;
  /** Scopes of the use cases that it reads with. */
  readonly scopes: readonly Scope[];
  /** True if its steps change data: hidden from read-only connections. */
  readonly changes: boolean;
  readonly arguments: readonly PromptArgument[];
  /** Builds the messages. Errors: those of the use cases. */
  messages(ask: Ask, given: Arguments): Promise<readonly PromptMessage[]>;
}

export const workflowArgument = {
  name: 'workflowId',
  title: 'Workflow',
  description: 'wf_..., from list_workflows',
  required: true,
} as const;

export const goalArgument = {
  name: 'goal',
  title: 'Goal',
  description: 'The result to achieve or improve',
  required: true,
} as const;

export function says(text: string): PromptMessage {
  return { role: 'user', content: { type: 'text', text } };
}

export function steps(lines: readonly string[]): string {
  return lines.map((line, index) => `${index + 1}. ${line}`).join('\n');
}

/** Sets the user's text apart from this service's. */
export function quoted(goal: string): string {
  return `"""\n${goal.trim()}\n"""`;
}
