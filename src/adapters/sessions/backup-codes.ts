import { createHmac, randomBytes } from 'node:crypto';

const mark = 'hmac:';
const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

/** Ten codes of 28 characters in four groups: 140 random bits each, which no guessing finds from a hash. */
export function newBackupCodes(): string[] {
  return Array.from({ length: 10 }, () => {
    const text = Array.from(randomBytes(28), (byte) => alphabet[byte % alphabet.length] ?? '').join('');
    return (text.match(/.{7}/g) ?? []).join('-');
  });
}

/**
 * Hashes backup codes with the secret of the service. The library compares what is stored with what is sent, so a
 * code is hashed before it gets there. Hashes stay as they are: the library stores the codes that are left again.
 */
export function createBackupCodes(secret: string) {
  const hash = (code: string): string =>
    mark + createHmac('sha256', secret).update(`backup code ${code}`).digest('base64url');
  return {
    hash,
    /** `codes`: JSON of a list, in which hashes may stand already. */
    stored: (codes: string): string =>
      JSON.stringify((JSON.parse(codes) as string[]).map((code) => (code.startsWith(mark) ? code : hash(code)))),
  };
}
