import type { Scope } from '#src/contracts/scopes.ts';

export type PrincipalKind = 'service-key' | 'workflow-key';

/** Who calls. Every repository call takes its organization and projects. Source: identity.md "Principal". */
export interface Principal {
  readonly kind: PrincipalKind;
  readonly keyId: string;
  readonly keyName: string;
  readonly organizationId: string;
  readonly projectIds: readonly string[];
  readonly scopes: ReadonlySet<Scope>;
  /** The workflow a workflow key is bound to. */
  readonly agentGraphId: string | null;
}

/** Keys belong to exactly one project: what they create goes there. */
export function homeProject(principal: Principal): string {
  const [projectId] = principal.projectIds;
  if (projectId === undefined) throw new Error('a principal without a project');
  return projectId;
}
