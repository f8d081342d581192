import { fileNameOf } from '#src/domain/documents/file-name.ts';
import { invalidInput } from '#tools/call.ts';

/** Error: `request.invalid` for a name of folders and unseen characters only. */
export function acceptedName(filename: string | undefined): { readonly filename?: string } {
  if (filename === undefined) return {};
  const name = fileNameOf(filename);
  if (name !== null) return { filename: name };
  const message = 'has no name of a file: send one such as scan.pdf, or leave the field out';
  throw invalidInput([{ pointer: '/filename', code: 'invalid', message }]);
}
