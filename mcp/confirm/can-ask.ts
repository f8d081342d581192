import type { ClientCapabilities } from '@modelcontextprotocol/server';

/** Whether the client can put a form before its user: `elicitation: {}` means that too. Source: MCP 2025-11-25, elicitation. */
export function canAsk({ elicitation }: ClientCapabilities): boolean {
  if (elicitation === undefined) return false;
  return elicitation.form !== undefined || elicitation.url === undefined;
}
