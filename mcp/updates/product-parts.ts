import type { ToolDeps } from '#tools/deps.ts';
import type { McpCatalog } from '#mcp/catalog.ts';
import { promptsPart, scopesOfPrompt } from '#mcp/prompts/part.ts';
import { resourcesPart, scopeOfResource } from '#mcp/resources/part.ts';
import { resourceReader } from '#mcp/resources/read.ts';
import { Listening } from '#mcp/updates/listening.ts';
import { sessionPart } from '#mcp/updates/session-part.ts';
import type { UpdateOptions } from '#mcp/updates/organization-updates.ts';
import { Updates } from '#mcp/updates/updates.ts';

/** Resources, their updates in both generations, prompts and completion. Made once; what a server is given costs next to nothing. */
export function readingParts(
  deps: ToolDeps,
  version: string,
  options: Partial<UpdateOptions> = {},
): Pick<McpCatalog, 'parts' | 'scopeOf' | 'bus' | 'listening'> {
  const updates = new Updates(deps, options);
  const listening = new Listening(updates);
  return {
    parts: [resourcesPart(deps, resourceReader(deps, version)), sessionPart(deps, updates), promptsPart(deps)],
    scopeOf: (method, params) => {
      if (method === 'resources/read') return scopeOfResource(params['uri']);
      return method === 'prompts/get' ? (scopesOfPrompt(params['name'])[0] ?? null) : null;
    },
    bus: listening.bus,
    listening,
  };
}
