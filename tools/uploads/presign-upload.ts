import { AnyId, limits, Visibility } from '#src/contracts/fields.ts';
import type { DocumentType } from '#src/contracts/media-types.ts';
import { PresignBody, PresignReply } from '#src/contracts/resources/upload.ts';
import type { UploadFamily, UploadRecord } from '#src/domain/documents/document.ts';
import { AppError } from '#src/domain/app-error.ts';
import { siblingId, sortableToken } from '#src/domain/ids.ts';
import { heicAdvice } from '#src/domain/documents/heif-brand.ts';
import { uploadKey } from '#src/domain/documents/object-key.ts';
import { projectFor, type PrincipalKind } from '#src/domain/access/principal.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { requireInstalled } from '#tools/uploads/accepted-languages.ts';
import { acceptedName } from '#tools/uploads/accepted-name.ts';

/** Phones write these, so the refusal says how to go on. */
const heicTypes = /^image\/hei[cf](?:-sequence)?$/;

/** `types`: those that this installation decodes. */
function acceptedType(contentType: string, types: readonly DocumentType[]): DocumentType {
  const bare = contentType.trim().toLowerCase();
  const known = types.find((type) => type === bare);
  if (known !== undefined) return known;
  const message = `send one of ${types.join(', ')}`;
  const isMissing = heicTypes.test(bare) && !types.includes('image/heic');
  const refusal = isMissing ? heicAdvice : 'This contentType is not accepted';
  throw new AppError('upload.content_type', `${refusal}. Use one of ${types.join(', ')}.`, {
    errors: [{ pointer: '/contentType', code: 'content_type', message }],
  });
}

const families: Readonly<Record<PrincipalKind, UploadFamily>> = {
  'workflow-key': 'workflow-key',
  'service-key': 'service',
  session: 'dashboard',
  oauth: 'service',
};

export const presignUpload = defineTool({
  name: 'presign_upload',
  description: 'Get a URL to PUT one file to; then acknowledge its objectKey.',
  scope: 'uploads:write',
  effect: 'write',
  audit: false,
  idempotent: false,
  input: PresignBody.extend({
    visibility: Visibility.default('private'),
    projectId: AnyId.optional().describe('Required when the organization has several projects'),
  }),
  output: PresignReply,
  async run(
    { deps, principal }: ToolContext<'images' | 'installation' | 'limits' | 'objects' | 'uploads' | 'usage'>,
    { contentType, size, contentMd5, filename, languages: given, visibility, projectId },
  ) {
    const type = acceptedType(contentType, deps.images.types);
    const named = acceptedName(filename);
    requireInstalled(given, deps.installation);
    // A device cannot mend its key: an upload is accepted, and its run names a language that is gone.
    const languages = given ?? principal.languages;
    const { uploadMaxBytes, signContentType } = deps.limits;
    if (size > uploadMaxBytes)
      throw new AppError(
        'upload.too_large',
        `The file is larger than ${uploadMaxBytes} bytes, the maximum. Upload a smaller file.`,
        {
          errors: [{ pointer: '/size', code: 'too_big', message: `at most ${uploadMaxBytes}` }],
        },
      );
    const now = new Date();
    const token = sortableToken(now);
    const family = families[principal.kind];
    const place = { organizationId: principal.organizationId, projectId: projectFor(principal, projectId) };
    const record: UploadRecord = {
      _id: uploadKey({ ...place, family, actorId: principal.actorId, token, type, now }),
      documentId: siblingId('document', token),
      family,
      ...place,
      apiKeyId: principal.keyId,
      // Uploads belong to the grant that presigned them: only it can acknowledge them.
      userId: principal.session?.userId ?? (principal.kind === 'oauth' ? principal.actorId : null),
      contentType: type,
      sizeBytes: size,
      ...named,
      ...(languages && { languages }),
      visibility,
      createdAt: now,
      forgetAt: new Date(now.getTime() + limits.uploadRecordSeconds * 1_000),
    };
    const expiresAt = new Date(now.getTime() + limits.presignSeconds * 1_000);
    const { url, headers } = await deps.objects.presignPut({
      key: record._id,
      contentLength: size,
      contentType: type,
      signContentType,
      ...(contentMd5 !== undefined && { contentMd5 }),
      expiresAt,
    });
    // After the store has agreed: it refuses when the disk is nearly full.
    await deps.usage.reserve(record, size);
    await deps.uploads.insert(record);
    return {
      uploadUrl: url,
      method: 'PUT' as const,
      headers,
      objectKey: record._id,
      expiresAt: expiresAt.toISOString(),
      maxBytes: size,
    };
  },
});
