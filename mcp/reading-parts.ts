import type { ToolDeps } from '#tools/deps.ts';
import type { McpCatalog } from '#mcp/catalog.ts';
import { completionPart } from '#mcp/completion/part.ts';
import { promptsPart, scopesOfPrompt } from '#mcp/prompts/part.ts';
import { resourcesPart, scopesOfResource } from '#mcp/resources/part.ts';
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
): Pick<McpCatalog, 'parts' | 'scopesOf' | 'bus' | 'listening'> {
  const updates = new Updates(deps, options);
  const listening = new Listening(updates, deps.logger);
  return {
    parts: [
      resourcesPart(deps, resourceReader(deps, version)),
      sessionPart(deps, updates),
      promptsPart(deps),
      completionPart(deps),
    ],
    scopesOf: (caller, method, params) => {
      if (method === 'resources/read') return scopesOfResource(caller, params['uri']);
      return method === 'prompts/get' ? scopesOfPrompt(caller, params['name']) : [];
    },
    bus: listening.bus,
    listening,
  };
}
