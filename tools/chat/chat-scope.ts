import type { ChatScope } from '#src/contracts/resources/chat.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { ToolContext } from '#tools/define.ts';
import { documentMissing } from '#tools/documents/require-document.ts';

/** Documents that a question covers, within those that the caller may read. */
export interface AskedScope {
  readonly organizationId: string;
  readonly projectIds: readonly string[];
  /** Excludes public documents of the organization's other projects. */
  readonly onlyProjects: boolean;
  readonly documentIds?: readonly string[];
  readonly apiKeyIds?: readonly string[];
}

function missing(code: 'project.not_found' | 'key.not_found', pointer: string, what: string): AppError {
  return new AppError(code, `This credential can read no ${what} with this id. Take ids from the list of ${what}s.`, {
    errors: [{ pointer, code: 'not_found', message: `take ids from the list of ${what}s` }],
  });
}

const unique = (ids: readonly string[]): string[] => [...new Set(ids)];

/**
 * Checks that the caller may use every id that narrows the question. A foreign id gets the same error as an unknown one. Neither is
 * dropped, because an answer over fewer documents would look like an answer over all of them. Errors: `project.not_found`,
 * `key.not_found`, `document.not_found`.
 */
export async function askedScope(
  { deps, principal }: Pick<ToolContext<'apiKeys' | 'documents'>, 'deps' | 'principal'>,
  { projectIds, apiKeyIds, documentIds }: ChatScope,
): Promise<AskedScope> {
  const { organizationId } = principal;
  const foreign = projectIds?.findIndex((id) => !principal.projectIds.includes(id)) ?? -1;
  if (foreign !== -1) throw missing('project.not_found', `/projectIds/${foreign}`, 'project');
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
