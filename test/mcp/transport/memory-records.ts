import { createSecretKey, randomBytes } from 'node:crypto';
import type { SessionRecordParts } from '#http/mcp/session-records.ts';
import type { McpSessionRow } from '#src/stores/collections.ts';
import type { McpSessionKey } from '#src/stores/mcp-sessions.ts';

/** Records of sessions in memory, for listeners that share them as processes of an installation do. */
export function memoryRecords(): SessionRecordParts {
  const rows = new Map<string, McpSessionRow>();
  const set = async (
    { name, organizationId }: McpSessionKey,
    fields: Partial<McpSessionRow> & Pick<McpSessionRow, 'forgetAt'>,
  ): Promise<void> => void rows.set(name, { ...rows.get(name), _id: name, organizationId, ...fields });
  return {
    sessionKey: createSecretKey(randomBytes(32)),
    mcpSessions: {
      find: async ({ name }) => rows.get(name) ?? null,
      async setUsed(sessions) {
        for (const { usedAt, forgetAt, ...key } of sessions) await set(key, { usedAt, forgetAt });
      },
      setUris: set,
      end: (key, forgetAt) => set(key, { ended: true, forgetAt }),
      findEnded: async (sessions) =>
        new Set(sessions.map(({ name }) => name).filter((name) => rows.get(name)?.ended === true)),
    },
  };
}
