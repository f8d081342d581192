import {
  ProtocolError,
  ProtocolErrorCode,
  type CompleteResult,
  type GetPromptResult,
  type ListPromptsResult,
} from '@modelcontextprotocol/server';
import type { Scope } from '#src/contracts/scopes.ts';
import type { ToolDeps } from '#tools/deps.ts';
import type { McpCaller } from '#mcp/caller.ts';
import type { McpPart } from '#mcp/catalog.ts';
import { completionsMax, type Complete } from '#mcp/resources/completion.ts';
import { handling } from '#mcp/resources/handling.ts';
import { completionOf } from '#mcp/resources/part.ts';
import { isResourceInView, mayRead } from '#mcp/resources/shown.ts';
import { buildWorkflow } from '#mcp/prompts/build-workflow.ts';
import { compareVersions } from '#mcp/prompts/compare-versions.ts';
import { diagnoseRun } from '#mcp/prompts/diagnose-run.ts';
import { improveWorkflow } from '#mcp/prompts/improve-workflow.ts';
import type { Arguments, McpPrompt } from '#mcp/prompts/prompt.ts';
import { summarizeDocuments } from '#mcp/prompts/summarize-documents.ts';

/** In the order they are listed. Source: mcp.md "Resources". */
export const prompts: readonly McpPrompt[] = [
  improveWorkflow,
  compareVersions,
  diagnoseRun,
  buildWorkflow,
  summarizeDocuments,
];

const argumentMax = 4_000;

const invalid = (message: string): ProtocolError => new ProtocolError(ProtocolErrorCode.InvalidParams, message);

function isPromptInView(caller: McpCaller, { toolset, changes }: McpPrompt): boolean {
  return isResourceInView(caller, toolset) && !(changes && caller.view.readOnly);
}

/** As with tools: people behind OAuth see what they can step up to. */
function isPromptListed(caller: McpCaller, prompt: McpPrompt): boolean {
  const mayStepUp = caller.principal.grant?.person === true;
  return isPromptInView(caller, prompt) && (mayStepUp || prompt.scopes.every((scope) => mayRead(caller, scope)));
}

function promptNamed(caller: McpCaller, name: string): McpPrompt {
  const prompt = prompts.find((one) => one.name === name && isPromptInView(caller, one));
  if (prompt === undefined) throw invalid('There is no prompt of this name: prompts/list has them all.');
  return prompt;
}

function checked(prompt: McpPrompt, given: Arguments): Arguments {
  const known = new Map(prompt.arguments.map((argument) => [argument.name, argument]));
  for (const name of Object.keys(given))
    if (!known.has(name))
      throw invalid(`Argument ${name.slice(0, 64)} is not known here: ${[...known.keys()].join(', ')} are.`);
  for (const { name, required } of known.values()) {
    const value = given[name] ?? '';
    if (required && value.trim() === '') throw invalid(`Argument ${name} is missing.`);
    if (value.length > argumentMax) throw invalid(`Argument ${name} has more than ${argumentMax} characters.`);
  }
  return given;
}

/** The scopes that this prompt reads with; none for an unknown name. */
export function scopesOfPrompt(name: unknown): readonly Scope[] {
  return prompts.find((one) => one.name === name)?.scopes ?? [];
}

interface CompletionAsked {
  readonly ref:
    | { readonly type: 'ref/prompt'; readonly name: string }
    | { readonly type: 'ref/resource'; readonly uri: string };
  readonly argument: { readonly name: string; readonly value: string };
  readonly context?: { readonly arguments?: Record<string, string> | undefined } | undefined;
}

function completerOf(caller: McpCaller, { ref, argument }: CompletionAsked): Complete | null {
  if (ref.type === 'ref/prompt')
    return promptNamed(caller, ref.name).arguments.find(({ name }) => name === argument.name)?.complete ?? null;
  const found = completionOf(caller, ref.uri, argument.name);
  if (found === undefined) throw invalid('There is no such template: resources/templates/list has them all.');
  return found;
}

/** Prompts, and completion of their arguments and of the variables of resource templates. Source: mcp.md "Resources". */
export function promptsPart(deps: ToolDeps): McpPart {
  const list = handling(deps, async (_: unknown, { caller }): Promise<ListPromptsResult> => ({
    prompts: prompts
      .filter((prompt) => isPromptListed(caller, prompt))
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
  const complete = handling(deps, async (asked: CompletionAsked, { caller, ask }): Promise<CompleteResult> => {
    const { argument, context } = asked;
    const completer = completerOf(caller, asked);
    const found =
      completer === null ? [] : await completer(ask, argument.value.slice(0, argumentMax), context?.arguments ?? {});
    const values = found.slice(0, completionsMax);
    return { completion: { values, total: found.length, hasMore: found.length > values.length } };
  });
  return ({ server }) => {
    server.registerCapabilities({ prompts: {}, completions: {} });
    server.setRequestHandler('prompts/list', list);
    server.setRequestHandler('prompts/get', get);
    server.setRequestHandler('completion/complete', complete);
  };
}
