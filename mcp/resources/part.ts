import { own } from '#src/contracts/own.ts';
import { ResourceTemplate, type ListResourcesResult, type ReadResourceResult } from '@modelcontextprotocol/server';
import type { Scope } from '#src/contracts/scopes.ts';
import type { ToolDeps } from '#tools/deps.ts';
import type { McpCaller } from '#mcp/caller.ts';
import type { McpPart } from '#mcp/catalog.ts';
import type { Named, ResourceKind } from '#mcp/resources/address.ts';
import {
  completeDocument,
  completeRun,
  completeVersion,
  completeWorkflow,
  type Complete,
} from '#mcp/completion/completers.ts';
import { noSuchResource } from '#mcp/present/protocol-error.ts';
import { handling } from '#mcp/resources/ask.ts';
import { listResources } from '#mcp/resources/list.ts';
import type { ReadResource } from '#mcp/resources/read.ts';
import { hasToolset } from '#mcp/view.ts';
import { isResourceListed, namedInView, resourceKinds, shownResources } from '#mcp/resources/shown.ts';

function requireNamed(caller: McpCaller, uri: string): Named {
  const named = namedInView(caller, uri);
  if (named === null) throw noSuchResource(uri);
  return named;
}

/** Returns the scopes that reading a URI needs. */
export function scopesOfResource(caller: McpCaller, uri: unknown): readonly Scope[] {
  const named = typeof uri === 'string' ? namedInView(caller, uri) : null;
  const scope = named === null ? null : shownResources[named.kind].scope;
  return scope === null ? [] : [scope];
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

/** Finds the completion of a template variable; null: there is none; undefined: no such template for this caller. */
export function completionOf(caller: McpCaller, template: string, variable: string): Complete | null | undefined {
  const kind = resourceKinds.find((one) => shownResources[one].uri === template);
  if (kind === undefined || !hasToolset(caller.view, shownResources[kind].toolset)) return undefined;
  return own(completions[kind] ?? {}, variable) ?? null;
}

/**
 * Lists and reads resources through one entry of the SDK's registry, so that other parts can add resources of other schemes to the lists.
 * Templates have a handler of their own, since the registry does not know the caller. Source: docs/decisions/0046.
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
