import type { Principal } from '#src/domain/access/principal.ts';
import { invalidInput } from '#tools/call.ts';

/** What `apiKeyBound` narrows to. Error: `request.invalid` for a caller that is no key: all documents would be another answer. */
export function ownUploads(
  { keyId }: Pick<Principal, 'keyId'>,
  apiKeyBound: boolean,
  pointer: string,
): { readonly apiKeyId?: string } {
  if (!apiKeyBound) return {};
  if (keyId !== null) return { apiKeyId: keyId };
  throw invalidInput([{ pointer, code: 'no_key', message: 'this credential is no API key: leave it out' }]);
}
