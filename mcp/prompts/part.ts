import {
  ProtocolError,
  ProtocolErrorCode,
  type GetPromptResult,
  type ListPromptsResult,
} from '@modelcontextprotocol/server';
import type { Scope } from '#src/contracts/scopes.ts';
import type { ToolDeps } from '#tools/deps.ts';
import type { McpCaller } from '#mcp/caller.ts';
import type { McpPart } from '#mcp/catalog.ts';
import { handling } from '#mcp/resources/ask.ts';
import { buildWorkflow } from '#mcp/prompts/build-workflow.ts';
import { compareVersions } from '#mcp/prompts/compare-versions.ts';
import { diagnoseRun } from '#mcp/prompts/diagnose-run.ts';
import { improveWorkflow } from '#mcp/prompts/improve-workflow.ts';
import type { Arguments, McpPrompt } from '#mcp/prompts/prompt.ts';
import { summarizeDocuments } from '#mcp/prompts/summarize-documents.ts';
import { isDiscoverable } from '#mcp/rights.ts';
import { hasToolset } from '#mcp/view.ts';

/** All prompts, in the order of `prompts/list`. */
export const prompts: readonly McpPrompt[] = [
  improveWorkflow,
  compareVersions,
  diagnoseRun,
  buildWorkflow,
  summarizeDocuments,
];

/** Characters of one argument. */
export const argumentMax = 4_000;

const invalid = (message: string): ProtocolError => new ProtocolError(ProtocolErrorCode.InvalidParams, message);

function isPromptInView(caller: McpCaller, { toolset, changes }: McpPrompt): boolean {
  return hasToolset(caller.view, toolset) && !(changes && caller.view.readOnly);
}

const promptInView = (caller: McpCaller, name: unknown): McpPrompt | undefined =>
  prompts.find((one) => one.name === name && isPromptInView(caller, one));

/** Finds a prompt. The same error for an unknown one and for one that the caller's connection does not offer. */
export function promptNamed(caller: McpCaller, name: string): McpPrompt {
  const prompt = promptInView(caller, name);
  if (prompt === undefined) throw invalid('Unknown prompt. Call prompts/list.');
  return prompt;
}

function checked(prompt: McpPrompt, given: Arguments): Arguments {
  const known = new Map(prompt.arguments.map((argument) => [argument.name, argument]));
  for (const name of Object.keys(given))
    if (!known.has(name))
      throw invalid(`Unknown argument ${name.slice(0, 64)}. This prompt takes ${[...known.keys()].join(', ')}.`);
  for (const { name, required } of known.values()) {
    const value = given[name] ?? '';
    if (required && value.trim() === '') throw invalid(`The argument ${name} is missing.`);
    if (value.length > argumentMax)
      throw invalid(`The argument ${name} has more than ${argumentMax} characters. Shorten it.`);
  }
  return given;
}

/** Returns the scopes that a prompt needs; none for an unknown name. */
export function scopesOfPrompt(caller: McpCaller, name: unknown): readonly Scope[] {
  return promptInView(caller, name)?.scopes ?? [];
}

/** Handles `prompts/list` and `prompts/get`. */
export function promptsPart(deps: ToolDeps): McpPart {
  const list = handling(deps, async (_: unknown, { caller }): Promise<ListPromptsResult> => ({
    prompts: prompts
      .filter((prompt) => isPromptInView(caller, prompt) && isDiscoverable(caller, prompt.scopes))
      .map(({ name, title, description, arguments: args }) => ({
        name,
        title,
        description,
        arguments: args.map(({ complete: _complete, ...argument }) => argument),
      })),
  }));
  type Named = { readonly name: string; readonly arguments?: Arguments | undefined };
  const get = handling(
    deps,
    async ({ name, arguments: given = {} }: Named, { caller, ask }): Promise<GetPromptResult> => {
      const prompt = promptNamed(caller, name);
      const messages = await prompt.messages(ask, checked(prompt, given));
      return { description: prompt.description, messages: [...messages] };
    },
  );
  return ({ server }) => {
    server.registerCapabilities({ prompts: {} });
    server.setRequestHandler('prompts/list', list);
    server.setRequestHandler('prompts/get', get);
  };
}
