import type { App } from '#app/compose.ts';
import { grantedScopes, type Scope } from '#src/contracts/scopes.ts';
import { newId } from '#src/domain/ids.ts';
import type { ToolContext } from '#tools/define.ts';

/** For use cases that a command carries out, as `cli`, in one project. */
export function cliContext(
  { deps }: App,
  { organizationId, projectId }: { readonly organizationId: string; readonly projectId: string },
  scopes: readonly Scope[],
): ToolContext {
  return {
    principal: {
      kind: 'service-key',
      actorId: 'cli',
      actorName: 'cli',
      keyId: null,
      session: null,
      organizationId,
      projectIds: [projectId],
      scopes: grantedScopes(scopes),
      agentGraphId: null,
    },
    requestId: newId('request'),
    surface: 'cli',
    signal: new AbortController().signal,
    deps,
    outcome: {},
  };
}
