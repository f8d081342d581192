import { fileURLToPath } from 'node:url';
import { loadSkills } from '@modelcontextprotocol/server/ext/skills/node';
import type { McpPart } from '#mcp/catalog.ts';

const folder = fileURLToPath(new URL('skills', import.meta.url));

/** How to do what people ask of this service, for agents with the Skills extension: read once, served to anybody. Source: SEP-2640. */
export async function skillsPart(): Promise<McpPart> {
  const skills = await loadSkills(folder, {
    prefix: 'inkgraph',
    strict: true,
    cacheHint: { ttlMs: 3_600_000, cacheScope: 'public' },
  });
  return (mcp) => skills.attach(mcp);
}
