import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { Tenant } from '#src/domain/access/tenant.ts';
import type { ToolDeps } from '#tools/deps.ts';

/** Another tenant's id and an unknown id get the same answer. */
export function documentMissing(): AppError {
  return new AppError('document.not_found', 'No document with this id is readable with this credential.');
}

export async function requireDocument(
  { documents }: Pick<ToolDeps, 'documents'>,
  tenant: Tenant,
  id: string,
): Promise<DocumentRecord> {
  const found = await documents.find(tenant, id);
  if (found === null) throw documentMissing();
  return found;
}
