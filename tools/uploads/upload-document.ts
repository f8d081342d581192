import { z } from 'zod';
import { AnyId, Languages, limits, Visibility } from '#src/contracts/fields.ts';
import { AckReply, PresignReply } from '#src/contracts/resources/upload.ts';
import { defineTool, type ToolContext } from '#tools/define.ts';
import { callTool } from '#tools/call.ts';
import { acknowledgeUpload } from '#tools/uploads/acknowledge-upload.ts';
import { presignUpload } from '#tools/uploads/presign-upload.ts';

const rejectUnless = { presign: ['contentType', 'size'], acknowledge: ['objectKey'] } as const;

export const uploadDocument = defineTool({
  name: 'upload_document',
  description:
    'Upload a document: presign returns upload.uploadUrl to PUT the bytes to; acknowledge (objectKey) returns the document. Then run_workflow. Example: {"action": "presign", "contentType": "image/png", "size": 48213}',
  scope: 'documents:write',
  effect: 'write',
  audit: false,
  idempotent: false,
  input: z
    .strictObject({
      action: z.enum(['presign', 'acknowledge']),
      contentType: z.string().min(1).max(100).optional().describe('presign: as image/png'),
      size: z.int().min(1).optional().describe('presign: bytes'),
      filename: z.string().min(1).max(limits.filename).optional().describe('presign: file name'),
      languages: Languages.optional().describe('presign: as ["deu"]'),
      projectId: AnyId.optional().describe('presign: if there are several'),
      visibility: Visibility.optional().describe('presign: default private'),
      objectKey: z.string().min(1).max(512).optional().describe('acknowledge: from presign'),
    })
    .superRefine((input, context) => {
      for (const field of rejectUnless[input.action])
        if (input[field] === undefined)
          context.addIssue({ code: 'custom', path: [field], message: `required for action ${input.action}` });
    }),
  output: z.object({ upload: PresignReply.nullable(), document: AckReply.shape.document.nullable() }),
  async run(
    ctx: ToolContext<
      | 'accept'
      | 'audit'
      | 'documents'
      | 'idempotency'
      | 'images'
      | 'installation'
      | 'limits'
      | 'objects'
      | 'thumbnails'
      | 'uploads'
      | 'usage'
    >,
    { action, objectKey, ...presign },
  ) {
    if (action === 'presign') return { upload: await callTool(presignUpload, ctx, presign), document: null };
    return { upload: null, document: (await callTool(acknowledgeUpload, ctx, { objectKey })).document };
  },
});
