import type { z } from 'zod';
import type { DocumentFilterQuery } from '#src/contracts/resources/document.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import type { DocumentFilter } from '#src/stores/documents.ts';
import { ownUploads } from '#tools/own-uploads.ts';

/** Filter of lists and exports of documents. Error: `request.invalid`, as in `ownUploads`. */
export function documentFilter(
  principal: Pick<Principal, 'keyId'>,
  { apiKeyBound, tag }: z.output<typeof DocumentFilterQuery>,
): DocumentFilter {
  return { ...ownUploads(principal, apiKeyBound, '/apiKeyBound'), ...(tag !== undefined && { tag }) };
}
