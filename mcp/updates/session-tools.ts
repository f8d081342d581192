import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import type { Logger } from '#src/domain/ports/logger.ts';
import type { McpCaller } from '#mcp/caller.ts';
import type { McpCatalog } from '#mcp/catalog.ts';
import { declaredBy } from '#mcp/tasks/serve.ts';

/**
 * Tells the session of an older client when its list of tools changes, from the first list on: before, it has none that could be old.
 * Returns the function to call with each list. Newer clients open streams instead.
 */
export function sessionTools(
  { server }: McpServer,
  { catalog: { callersTools }, logger }: { readonly catalog: McpCatalog; readonly logger: Logger },
): (caller: McpCaller, ctx: ServerContext) => void {
  let stop: (() => void) | null = null;
  const begin = (caller: McpCaller): void => {
    if (stop === null) {
      const { onclose } = server;
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- servers of the SDK have this form only
      server.onclose = () => {
        onclose?.();
        stop?.();
      };
    }
    // The projects of the caller, or those that the address names, may be others than before.
    stop?.();
    const changed = (): void => {
      server.sendToolListChanged().catch((error: unknown) => {
        logger.debug({ err: error }, 'a change of the tools did not reach its session');
      });
    };
    stop = callersTools?.watch(caller, changed) ?? null;
  };
  return (caller, ctx) => {
    const hasSession = ctx.sessionId !== undefined || ctx.http?.req === undefined;
    if (callersTools !== undefined && declaredBy(ctx) === null && hasSession) begin(caller);
  };
}
