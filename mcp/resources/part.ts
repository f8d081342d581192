import { ResourceTemplate, type ListResourcesResult, type ReadResourceResult } from '@modelcontextprotocol/server';
import type { Scope } from '#src/contracts/scopes.ts';
import type { ToolDeps } from '#tools/deps.ts';
import type { McpCaller } from '#mcp/caller.ts';
import type { McpPart } from '#mcp/catalog.ts';
import { namedBy, type Named, type ResourceKind } from '#mcp/resources/address.ts';
import {
  completeDocument,
  completeRun,
  completeVersion,
  completeWorkflow,
  type Complete,
} from '#mcp/resources/completion.ts';
import { noSuchResource } from '#mcp/resources/failure.ts';
import { handling } from '#mcp/resources/handling.ts';
import { listResources } from '#mcp/resources/list.ts';
import type { ReadResource } from '#mcp/resources/read.ts';
import { isResourceInView, isResourceListed, resourceKinds, shownResources } from '#mcp/resources/shown.ts';

/** What the address names, in the caller's view. Throws for all others what is thrown for an unknown one. */
function requireNamed(caller: McpCaller, uri: string): Named {
  const named = namedBy(uri);
  if (named === null || !isResourceInView(caller, shownResources[named.kind].toolset)) throw noSuchResource(uri);
  return named;
}

/** The scope that reading this address takes; null: none, or no address of ours. */
export function scopeOfResource(uri: unknown): Scope | null {
  const named = typeof uri === 'string' ? namedBy(uri) : null;
  return named === null ? null : shownResources[named.kind].scope;
}

const documentIds: Readonly<Record<string, Complete>> = { id: completeDocument };
const completions: Partial<Record<ResourceKind, Readonly<Record<string, Complete>>>> = {
  workflow: { id: completeWorkflow },
  version: { id: completeWorkflow, n: completeVersion('id') },
  run: { id: completeRun },
  document: documentIds,
  text: documentIds,
  image: documentIds,
};

/** What completes a variable of a template; null: nothing does; undefined: there is no such template for the caller. */
export function completionOf(caller: McpCaller, template: string, variable: string): Complete | null | undefined {
  const kind = resourceKinds.find((one) => shownResources[one].uri === template);
  if (kind === undefined || !isResourceInView(caller, shownResources[kind].toolset)) return undefined;
  return completions[kind]?.[variable] ?? null;
}

/**
 * Lists and reads: one entry of the SDK's registry, so that other parts can add resources of other schemes to the same lists.
 * Templates are told here, since the registry does not know who asks; it would list the one entry. Source: docs/decisions/0046.
 */
export function resourcesPart(deps: ToolDeps, read: ReadResource): McpPart {
  const list = handling(deps, async (_: unknown, { caller, ask }): Promise<ListResourcesResult> => ({
    resources: await listResources(caller, ask),
  }));
  const templates = handling(deps, async (_: unknown, { caller }) => ({
    resourceTemplates: resourceKinds
      .filter((kind) => shownResources[kind].uri.includes('{') && isResourceListed(caller, kind))
      .map((kind) => {
        const { uri, name, title, description, mimeType } = shownResources[kind];
        return { uriTemplate: uri, name, title, description, mimeType };
      }),
  }));
  const readOne = handling(
    deps,
    async ({ uri }: { uri: string }, { caller, ask }): Promise<ReadResourceResult> => ({
      contents: await read(ask, requireNamed(caller, uri)),
    }),
    ({ uri }) => uri,
  );
  const all = new ResourceTemplate('inkgraph://{+rest}', { list: (ctx) => list({}, ctx) });
  return (mcp) => {
    mcp.server.registerCapabilities({ resources: { subscribe: true, listChanged: true } });
    mcp.registerResource('inkgraph', all, {}, ({ href }, _variables, ctx) => readOne({ params: { uri: href } }, ctx));
    mcp.server.setRequestHandler('resources/templates/list', templates);
  };
}
