import type { z } from 'zod';
import {
  DocumentList,
  DocumentListQuery,
  ServiceDocumentListQuery,
  type DocumentFilterQuery,
} from '#src/contracts/resources/document.ts';
import type { Principal } from '#src/domain/access/principal.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { ownUploads } from '#tools/own-uploads.ts';
import { invalidInput } from '#tools/call.ts';
import { listPage, numbersOf, selectionOf } from '#tools/documents/lists/list-page.ts';
import { readingsOf } from '#tools/documents/lists/present-reading.ts';
import { presentLastRun } from '#tools/documents/lists/present-run.ts';
import { presentDocument } from '#tools/documents/present.ts';

/**
 * Filter of a list or an export with the key that `apiKeyBound` stands for. Errors: `request.invalid`, where the caller has no key or
 * asks for the uploads of another one, too.
 */
export function withOwnKey<Asked extends z.output<typeof DocumentFilterQuery>>(
  principal: Pick<Principal, 'keyId'>,
  { apiKeyBound, ...given }: Asked,
): Omit<Asked, 'apiKeyBound'> {
  const { apiKeyId = given.apiKeyId } = ownUploads(principal, apiKeyBound, '/apiKeyBound');
  if (apiKeyBound && given.apiKeyId !== undefined && given.apiKeyId !== apiKeyId)
    throw invalidInput([
      {
        pointer: '/apiKeyId',
        code: 'conflict',
        message: 'apiKeyBound asks for the uploads of your own key: send one of them',
      },
    ]);
  return { ...given, apiKeyId };
}

type Context = ToolContext<'cursorSecret' | 'documents' | 'executions' | 'recordTypes' | 'records' | 'thumbnails'>;

async function list(
  ctx: Context,
  given: z.output<typeof ServiceDocumentListQuery>,
): Promise<z.input<typeof DocumentList>> {
  const { deps, principal } = ctx;
  const asked = withOwnKey(principal, given);
  const selection = await selectionOf(ctx, asked);
  const [{ records, nextCursor }, numbers] = await Promise.all([
    listPage(ctx, { list: 'documents', selection }, asked),
    numbersOf(ctx, asked, { selection }),
  ]);
  const readingOf = await readingsOf(ctx, records);
  const documents = records.map((record) => ({
    ...presentDocument(deps, record),
    lastRun: presentLastRun(principal, record),
    ...readingOf(record),
  }));
  return { documents, nextCursor, ...numbers };
}

const listing = { scope: 'documents:read', effect: 'read', idempotent: true, output: DocumentList, run: list } as const;

/** Documents of the caller's projects. Source: `service.documents.list`, `lists.documents.filters`, docs/decisions/0156. */
export const listDocuments = defineTool({
  ...listing,
  name: 'list_documents',
  description: 'Documents of your projects, newest first.',
  input: DocumentListQuery,
});

/** The same for programs that upload: also by the bytes. Source: `lists.documents.digests`, docs/decisions/0186. */
export const listServiceDocuments = defineTool({
  ...listing,
  name: 'list_service_documents',
  description: 'Documents of your projects, newest first, also those with given bytes.',
  input: ServiceDocumentListQuery,
});
