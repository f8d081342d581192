import { randomBytes } from 'node:crypto';

/** Creates the secret of a link: 256 random bits in base64url. Store only its `hashSecret`. */
export const newLinkSecret = (): string => randomBytes(32).toString('base64url');

/** Rejects other values without a database read. */
export const looksLikeLinkSecret = (text: string): boolean => /^[\w-]{43}$/.test(text);
