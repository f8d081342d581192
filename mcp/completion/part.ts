import { ProtocolError, ProtocolErrorCode, type CompleteResult } from '@modelcontextprotocol/server';
import type { ToolDeps } from '#tools/deps.ts';
import type { McpCaller } from '#mcp/caller.ts';
import type { McpPart } from '#mcp/catalog.ts';
import { completionsMax, type Complete } from '#mcp/completion/completers.ts';
import { argumentMax, promptNamed } from '#mcp/prompts/part.ts';
import { handling } from '#mcp/resources/ask.ts';
import { completionOf } from '#mcp/resources/part.ts';

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
  if (found === undefined)
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'Unknown resource template. Call resources/templates/list.',
    );
  return found;
}

/** Completes arguments of prompts and variables of resource templates. Source: MCP "Completion". */
export function completionPart(deps: ToolDeps): McpPart {
  const complete = handling(deps, async (asked: CompletionAsked, { caller, ask }): Promise<CompleteResult> => {
    const { argument, context } = asked;
    const completer = completerOf(caller, asked);
    const found =
      completer === null ? [] : await completer(ask, argument.value.slice(0, argumentMax), context?.arguments ?? {});
    const values = found.slice(0, completionsMax);
    return { completion: { values, total: found.length, hasMore: found.length > values.length } };
  });
  return ({ server }) => {
    server.registerCapabilities({ completions: {} });
    server.setRequestHandler('completion/complete', complete);
  };
}
