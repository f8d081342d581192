import type { McpSessionKey } from '#src/stores/mcp-sessions.ts';
import type { Stores } from '#test/support/database.ts';

interface Held {
  readonly organizationId: string;
  readonly documentId: string;
}

const sessionOf = ({ organizationId }: Pick<Held, 'organizationId'>, { documentId }: Held): McpSessionKey => ({
  organizationId,
  name: `session of ${documentId}`,
});
const day = new Date(8e12);

/** A session that has ended. */
export async function seedMcpSession({ mcpSessions }: Stores, who: Held): Promise<void> {
  await mcpSessions.setUris(sessionOf(who, who), { uris: [], forgetAt: day });
  await mcpSessions.end(sessionOf(who, who), day);
}

type Asked = Readonly<Record<string, (asker: Held, target: Held) => Promise<unknown>>>;

export const mcpSessionReads = (stores: () => Stores): Asked => ({
  'mcpSessions.find': (who, target) => stores().mcpSessions.find(sessionOf(who, target)),
  'mcpSessions.findEnded': async (who, target) => [...(await stores().mcpSessions.findEnded([sessionOf(who, target)]))],
});

export const mcpSessionChanges = (stores: () => Stores): Asked => ({
  'mcpSessions.setUsed': (who, target) =>
    stores().mcpSessions.setUsed([{ ...sessionOf(who, target), usedAt: new Date(), forgetAt: new Date() }]),
  'mcpSessions.setUris': (who, target) =>
    stores().mcpSessions.setUris(sessionOf(who, target), { uris: ['inkgraph://runs/stolen'], forgetAt: new Date() }),
  'mcpSessions.end': (who, target) => stores().mcpSessions.end(sessionOf(who, target), new Date()),
});
