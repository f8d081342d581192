import type { Principal } from '#src/domain/access/principal.ts';
import { invalidInput } from '#tools/call.ts';

/** Filter for `apiKeyBound`. Error: `request.invalid` for a caller without a key, because all documents would be a wrong answer. */
export function ownUploads(
  { keyId }: Pick<Principal, 'keyId'>,
  apiKeyBound: boolean,
  pointer: string,
): { readonly apiKeyId?: string } {
  if (!apiKeyBound) return {};
  if (keyId !== null) return { apiKeyId: keyId };
  throw invalidInput([
    { pointer, code: 'no_key', message: 'only API keys have uploads of their own: leave this field out' },
  ]);
}
