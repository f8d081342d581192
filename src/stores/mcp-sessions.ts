import type { Collections, McpSessionRow } from '#src/stores/collections.ts';

export type McpSessionKey = Pick<McpSessionRow, 'organizationId'> & { readonly name: string };
type McpSessionUse = McpSessionKey & Required<Pick<McpSessionRow, 'usedAt' | 'forgetAt'>>;

export function createMcpSessionStore({ mcpSessions }: Pick<Collections, 'mcpSessions'>) {
  const set = ({ name, organizationId }: McpSessionKey, fields: Partial<McpSessionRow>) => ({
    filter: { _id: name, organizationId },
    update: { $set: fields },
    upsert: true,
  });
  const write = async ({ filter, update, upsert }: ReturnType<typeof set>): Promise<void> => {
    await mcpSessions.updateOne(filter, update, { upsert });
  };
  return {
    find: ({ name, organizationId }: McpSessionKey): Promise<McpSessionRow | null> =>
      mcpSessions.findOne({ _id: name, organizationId }),
    /** Stores the last use of many sessions at once. */
    async setUsed(sessions: readonly McpSessionUse[]): Promise<void> {
      const updates = sessions.map(({ usedAt, forgetAt, ...key }) => ({ updateOne: set(key, { usedAt, forgetAt }) }));
      if (updates.length > 0) await mcpSessions.bulkWrite(updates, { ordered: false });
    },
    setUris: (key: McpSessionKey, fields: Pick<McpSessionRow, 'uris' | 'forgetAt'>) => write(set(key, fields)),
    end: (key: McpSessionKey, forgetAt: Date) => write(set(key, { ended: true, forgetAt })),
    /** Names of those sessions that have ended, in any process. */
    async findEnded(sessions: readonly McpSessionKey[]): Promise<ReadonlySet<string>> {
      if (sessions.length === 0) return new Set();
      const organizationId = { $in: [...new Set(sessions.map((one) => one.organizationId))] };
      const _id = { $in: sessions.map(({ name }) => name) };
      const found = mcpSessions.find({ _id, organizationId, ended: true }, { projection: { _id: 1 } });
      return new Set((await found.toArray()).map((row) => row._id));
    },
  };
}

/**
 * Facts about sessions of older MCP clients that must outlive the process: uses at most once a minute, subscriptions, and ends.
 * Source: docs/decisions/0265.
 */
export type McpSessionStore = ReturnType<typeof createMcpSessionStore>;
