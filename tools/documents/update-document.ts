import { UpdatedDocument, UpdateDocumentInput } from '#src/contracts/resources/document.ts';
import { searchableName } from '#src/domain/documents/file-name.ts';
import { documentChanged } from '#src/domain/events/realtime.ts';
import { titleOf } from '#src/domain/documents/document.ts';
import { requireInstalled } from '#tools/uploads/accepted-languages.ts';
import { acceptedName } from '#tools/uploads/accepted-name.ts';
import { record } from '#tools/audit/record.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { documentMissing } from '#tools/documents/require-document.ts';

/** Source: `service.documents.update`, docs/decisions/0158. */
export const updateDocument = defineTool({
  name: 'update_document',
  description: 'Change name, title, tags and languages of a document.',
  scope: 'documents:write',
  effect: 'write',
  idempotent: true,
  input: UpdateDocumentInput,
  output: UpdatedDocument,
  async run(
    ctx: ToolContext<'announce' | 'audit' | 'documents' | 'installation' | 'search'>,
    { documentId: id, filename, title, tags, languages },
  ) {
    const { deps, principal, requestId } = ctx;
    const named = acceptedName(filename);
    requireInstalled(languages, deps.installation);
    const changed = await deps.documents.change(principal, id, {
      ...named,
      ...(title !== undefined && { givenTitle: title }),
      ...(tags !== undefined && { tags: tags.length === 0 ? null : tags }),
      ...(languages !== undefined && { languages: languages.length === 0 ? null : languages }),
    });
    // The caller can read public documents of other projects, but not change them.
    if (changed === null) throw documentMissing();
    // Order matters: a run that indexes the document meanwhile reads its names after they are stored.
    if (filename !== undefined || title !== undefined)
      await deps.search.setNames(changed.organizationId, id, {
        ...(named.filename !== undefined && { filename: searchableName(named.filename) }),
        ...(title !== undefined && { title: titleOf(changed) ?? '' }),
      });
    const fields = Object.entries({ filename, title, tags, languages }).flatMap(([name, value]) =>
      value === undefined ? [] : name,
    );
    if (changed.named !== undefined) deps.announce([documentChanged(changed, changed.named)]);
    await record(ctx, 'document.update', id, { fields, requestId });
    return {
      id,
      filename: changed.filename ?? null,
      title: titleOf(changed),
      tags: [...(changed.tags ?? [])],
      ...(changed.languages !== undefined && { languages: [...changed.languages] }),
    };
  },
});
