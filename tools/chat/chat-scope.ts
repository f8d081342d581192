import type { ChatScope } from '#src/contracts/resources/chat.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { ToolContext } from '#tools/define.ts';
import { documentMissing } from '#tools/documents/require-document.ts';

/** What the caller may ask about, and asks about. */
export interface AskedScope {
  readonly organizationId: string;
  readonly projectIds: readonly string[];
  /** Only these projects: what is public elsewhere in the organization is out. */
  readonly onlyProjects: boolean;
  readonly documentIds?: readonly string[];
  readonly apiKeyIds?: readonly string[];
}

function missing(code: 'project.not_found' | 'key.not_found', pointer: string, what: string): AppError {
  return new AppError(code, `No ${what} with this id is readable with this credential.`, {
    errors: [{ pointer, code: 'not_found', message: `take ids from the list of ${what}s` }],
  });
}

const unique = (ids: readonly string[]): string[] => [...new Set(ids)];

/**
 * Checks that all that narrows is the caller's. An id of somebody else and an unknown one are the same answer, and neither is dropped: an
 * answer over less than was asked for would look like one over all of it. Errors: `project.not_found`, `key.not_found`, `document.not_found`.
 */
export async function askedScope(
  { deps, principal }: Pick<ToolContext<'apiKeys' | 'documents'>, 'deps' | 'principal'>,
  { projectIds, apiKeyIds, documentIds }: ChatScope,
): Promise<AskedScope> {
  const { organizationId } = principal;
  const strange = projectIds?.findIndex((id) => !principal.projectIds.includes(id)) ?? -1;
  if (strange !== -1) throw missing('project.not_found', `/projectIds/${strange}`, 'project');
  const [keys, readable] = await Promise.all([
    apiKeyIds === undefined ? [] : deps.apiKeys.list(organizationId),
    documentIds === undefined ? 0 : deps.documents.countReadable(principal, unique(documentIds)),
  ]);
  const known = new Set(keys.filter((key) => principal.projectIds.includes(key.projectId)).map((key) => key._id));
  const noKey = apiKeyIds?.findIndex((id) => !known.has(id)) ?? -1;
  if (noKey !== -1) throw missing('key.not_found', `/apiKeyIds/${noKey}`, 'key');
  if (documentIds !== undefined && readable !== unique(documentIds).length) throw documentMissing();
  return {
    organizationId,
    projectIds: projectIds === undefined ? principal.projectIds : unique(projectIds),
    onlyProjects: projectIds !== undefined,
    ...(documentIds !== undefined && { documentIds: unique(documentIds) }),
    ...(apiKeyIds !== undefined && { apiKeyIds: unique(apiKeyIds) }),
  };
}
