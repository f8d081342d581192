import type { DocumentRecord } from '#src/domain/documents/document.ts';
import { AppError } from '#src/domain/app-error.ts';
import type { Tenant } from '#src/domain/access/tenant.ts';
import type { ToolDeps } from '#tools/deps.ts';

/** Same error for another tenant's id and an unknown id: a different one would reveal which ids exist. */
export function documentMissing(): AppError {
  return new AppError(
    'document.not_found',
    'This credential can read no document with this id. Take an id from the list of documents.',
  );
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
